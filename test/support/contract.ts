import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { fc } from './fast-check.ts'
import { fromSchema, type Schema } from './from-schema.ts'
import { parseDocument } from './openapi.ts'

/** A parameter of an operation. */
export interface Parameter {
  name: string
  in: string
  schema: Schema
  required?: boolean
}

/** An operation of an OpenAPI document, with its references resolved. */
export interface Operation {
  id: string
  /** In upper case. */
  method: string
  path: string
  parameters: Parameter[]
  /** Whether it takes a token in the Authorization header. */
  takesBearer: boolean
  /** The schema of a JSON body. */
  body: Schema | undefined
  /** What the document says of each status. */
  responses: Map<string, DescribedResponse>
}

export interface DescribedResponse {
  /** The schema of each media type. */
  content: Map<string, Schema>
  /** Whether each header, by its name in lower case, is always there. */
  headers: Map<string, boolean>
}

interface Described {
  operationId: string
  parameters?: Parameter[]
  security?: Record<string, unknown>[]
  requestBody?: { content: { 'application/json'?: { schema: Schema } } }
  responses: Record<
    string,
    { content?: Record<string, { schema: Schema }>; headers?: Record<string, { required?: boolean }> }
  >
}

/** Reads the operations of a service from its own OpenAPI document. */
export async function readOperations(url: string): Promise<Operation[]> {
  const text = await (await fetch(`${url}/api/openapi.json`)).text()
  const { paths } = parseDocument(text) as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      parameters: described.parameters ?? [],
      takesBearer: described.security?.some((scheme) => 'token' in scheme) === true,
      body: described.requestBody?.content['application/json']?.schema,
      responses: new Map(
        Object.entries(described.responses).map(([status, { content = {}, headers = {} }]) => [
          status,
          { content: mediaTypes(content), headers: headerNames(headers) },
        ]),
      ),
    })),
  )
}

function mediaTypes(content: Record<string, { schema: Schema }>): Map<string, Schema> {
  return new Map(Object.entries(content).map(([type, { schema }]) => [type, schema]))
}

function headerNames(headers: Record<string, { required?: boolean }>): Map<string, boolean> {
  return new Map(Object.entries(headers).map(([name, { required = false }]) => [name.toLowerCase(), required]))
}

/** Headers for the connection, caches and browsers, which the document leaves out. */
const undescribed =
  /^(?:connection|keep-alive|date|transfer-encoding|content-(?:type|length|encoding|language|security-policy)|cache-control|vary|x-(?:content-type-options|robots-tag|accel-buffering)|referrer-policy|strict-transport-security|access-control-.*)$/

/** Compares responses with the document. */
export interface Contract {
  /** Reads a response, and returns what it has that the document does not say; undefined when there is nothing. */
  faultOf: (operation: Operation, response: Response) => Promise<string | undefined>
}

export function createContract(): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // The package is CommonJS.
  ;(formats as unknown as typeof formats.default)(ajv)
  const compiled = new Map<Schema, ValidateFunction>()
  const validate = (schema: Schema, value: unknown) => {
    let check = compiled.get(schema)
    if (check === undefined) compiled.set(schema, (check = ajv.compile(closed(schema) as object)))
    return check(value) ? undefined : ajv.errorsText(check.errors, { dataVar: 'body' })
  }
  return {
    async faultOf(operation, response) {
      const status = String(response.status)
      const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
      const text = await response.text()
      const described = operation.responses.get(status)
      if (described === undefined) return `status ${status} is not described`
      const fault = headerFault(described, response, status)
      if (fault !== undefined) return fault
      if (text === '') return described.content.size > 0 ? 'the body is missing' : undefined
      const schema = described.content.get(type)
      if (schema === undefined) return `the media type ${type} is not described for ${status}`
      return /[/+]json$/.test(type) ? validate(schema, JSON.parse(text)) : undefined
    },
  }
}

function headerFault({ headers }: DescribedResponse, response: Response, status: string): string | undefined {
  const sent = [...response.headers.keys()].filter((name) => !undescribed.test(name))
  const further = sent.find((name) => !headers.has(name))
  if (further !== undefined) return `the header ${further} is not described for ${status}`
  const missing = [...headers].find(([name, isRequired]) => isRequired && !sent.includes(name))
  return missing && `the header ${missing[0]} is missing in a ${status}`
}

/** The schema without permission for properties that it does not name. */
function closed(part: unknown, isClosed = true): unknown {
  if (Array.isArray(part)) return part.map((each) => closed(each, isClosed))
  if (typeof part !== 'object' || part === null) return part
  // What one of several schemas does not name, another may.
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value, key !== 'allOf')]))
  const isOpen = copy['type'] !== 'object' || copy['additionalProperties'] !== undefined || copy['patternProperties']
  if (copy['allOf'] !== undefined || (isClosed && !isOpen && copy['properties'] !== undefined))
    return { ...copy, unevaluatedProperties: false }
  return copy
}

/** Encodes a text as one segment of a path; fetch would resolve an empty, "." or ".." one. */
export function asSegment(text: string): string {
  return /^\.{0,2}$/.test(text) ? 'x' : encodeURIComponent(text.toWellFormed())
}

/** A generated request: its path with the query, and what `fetch` takes. */
export interface GeneratedRequest {
  path: string
  init: { method: string; headers: Record<string, string>; redirect: 'manual'; body?: string }
}

/**
 * Generates requests of an operation; each part follows its schema, or sometimes violates it.
 * @param known values of path parameters that exist, by name
 */
export function requestsOf(operation: Operation, known: Record<string, string>): fc.Arbitrary<GeneratedRequest> {
  const valueOf = ({ name, schema }: Parameter) => {
    const existing = known[name]
    const generated = fromSchema(schema, 10)
    return existing === undefined ? generated : fc.oneof(fc.constant<unknown>(existing), generated)
  }
  const values = operation.parameters.map((each) => fc.option(valueOf(each), { nil: undefined, freq: 5 }))
  const body = operation.body === undefined ? fc.constant(undefined) : fromSchema(operation.body)
  return fc.tuple(fc.tuple(...values), body).map(([given, sent]) => assemble(operation, given, sent))
}

function assemble({ method, path, parameters }: Operation, values: unknown[], body: unknown): GeneratedRequest {
  const query = new URLSearchParams()
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  let filled = path
  for (const [at, { name, in: place, schema }] of parameters.entries()) {
    const value = values[at]
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? 'x')
    if (place === 'path') filled = filled.replace(`{${name}}`, asSegment(text))
    else if (value === undefined) continue
    else if (place === 'query') query.append(name, text)
    else if (schema.type === 'string') headers[name] = text.replace(/[^\x20-\x7e]/g, '?')
  }
  const init = { method, headers, redirect: 'manual' as const }
  return {
    path: `${filled}?${query.toString()}`,
    init: body === undefined ? init : { ...init, body: JSON.stringify(body) },
  }
}
