import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from '#typebox'
import { yieldEvery } from '../lib/yield-every.ts'
import { addVary } from './compress.ts'
import { serviceUrlOf, warningsOf, warnOfLocalUrl, type Warning } from './local-address.ts'
import {
  MAX_UNKNOWN,
  rowsIn,
  unknownColumns,
  unknownError,
  unknownMembers,
  unknownParameters,
  type Chosen,
  type Unknown,
} from './members.ts'
import { prefersStrict } from './prefer.ts'
import { invalidRequest, type Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the route does not know of the request; undefined outside the API. */
    unknownInput?: UnknownInput
  }
}

/** What a route does not know of a request. */
interface UnknownInput {
  /** Whether the client wants it refused, and not ignored. */
  isStrict: boolean
  parameters: Unknown[]
  members: Unknown[]
  columns: Unknown[]
  /** By the index of the row, with pointers into it. */
  rows: Map<number, Unknown[]>
  /** The pointer of the list of rows. */
  rowsAt: string
}

/** Bytes of the header `Quirl-Ignored`. */
const MAX_HEADER = 1024

/** How long other requests may wait while rows are compared with their schema, in milliseconds. */
const SLICE_MS = 5

/**
 * Says of each request to `api` what its route does not know, by the schema of the route: in the member `ignored` of a
 * response that is an object, and whatever it is in the header `Quirl-Ignored`. With `Prefer: handling=strict` such a
 * request is refused; a row by itself. Says, too, when the URLs in a response are of no use to others.
 */
export function sayUnknownInput(api: FastifyInstance): void {
  api.decorateRequest('unknownInput')
  api.addHook('onRequest', (request, reply, done) => {
    readQuery(request, reply)
    done()
  })
  // After the body is read, and before the validator drops the parameters that it does not know.
  api.addHook('preValidation', async (request) => {
    const { unknownInput: input } = request
    if (input !== undefined) await readBody(request, input)
  })
  api.addHook('preSerialization', async (request, reply, payload) => {
    if (!isRecord(payload)) return payload
    warnOfUrls(reply, payload)
    return withNotices(request, payload)
  })
  api.addHook('onSend', ({ unknownInput: input }, reply, payload, done) => {
    const header = input === undefined || input.isStrict ? '' : headerOf(input)
    if (header !== '') reply.header('quirl-ignored', header)
    done(null, payload)
  })
}

function readQuery(request: FastifyRequest, reply: FastifyReply): void {
  const { schema = {}, config } = request.routeOptions
  // No route has the path, or not with this method.
  if (request.is404 || config.work === 'immediate') return
  const { properties = {} } = (schema.querystring ?? {}) as { properties?: object }
  const isStrict = prefersStrict(request.headers['prefer'])
  if (isStrict) reply.header('preference-applied', 'handling=strict')
  const parameters = unknownParameters(Object.keys(properties), request.query as object)
  request.unknownInput = { isStrict, parameters, members: [], columns: [], rows: new Map(), rowsAt: '' }
  // A cache must not answer whom the same request would be refused.
  if (parameters.length > 0) addVary(reply, 'prefer')
}

/** @throws {Problem} 400 when the client is strict, and the route does not know something outside of the rows */
async function readBody(request: FastifyRequest, input: UnknownInput): Promise<void> {
  const schema = bodySchema(request)
  input.members = unknownMembers(schema, request.body)
  refuseStrict(input)
  const rows = rowsIn(schema, request.body)
  if (rows !== undefined) {
    const pause = yieldEvery(SLICE_MS)
    input.rowsAt = rows.pointer
    for (const [at, row] of rows.items.entries()) {
      noteRow(input, at, unknownMembers(rows.schema, row))
      await pause()
    }
  }
}

/** A route without a schema for bodies knows no member. */
function bodySchema({ routeOptions }: FastifyRequest): TSchema {
  const { body = { type: 'object' } } = routeOptions.schema ?? {}
  const { content } = body as { content?: Record<string, { schema: TSchema }> }
  return content?.['application/json']?.schema ?? (body as TSchema)
}

function noteRow({ rows }: UnknownInput, at: number, unknown: Unknown[]): void {
  if (unknown.length > 0) rows.set(at, unknown)
  else rows.delete(at)
}

/**
 * Compares the body again, once it is known what decides between the alternatives of its schema.
 * @throws {Problem} 400 when the client is strict
 */
export function requireKnownMembers(request: FastifyRequest, chosen: Chosen): void {
  const { unknownInput: input } = request
  if (input === undefined) return
  input.members = unknownMembers(bodySchema(request), request.body, chosen)
  refuseStrict(input)
}

/** The same for a row. @throws {Problem} 400 when the client is strict */
export function requireKnownInRow(request: FastifyRequest, at: number, chosen: Chosen): void {
  const { unknownInput: input } = request
  const rows = rowsIn(bodySchema(request), request.body)
  if (input === undefined || rows === undefined) return
  noteRow(input, at, unknownMembers(rows.schema, rows.items[at], chosen))
  const refused = refusedRow(request, at)
  if (refused !== undefined) throw refused
}

/** The problem of a row that has what is not known; undefined when the client is not strict. */
export function refusedRow({ unknownInput: input }: FastifyRequest, at: number): Problem | undefined {
  const unknown = input?.isStrict === true ? input.rows.get(at) : undefined
  return unknown && invalidRequest(unknown.map(unknownError))
}

/**
 * Notes the columns of a CSV that are not known.
 * @throws {Problem} 400 when the client is strict
 */
export function ignoreColumns({ unknownInput: input }: FastifyRequest, names: string[], known: string[]): void {
  if (input === undefined) return
  input.columns = unknownColumns(known, names)
  refuseStrict(input)
}

function refuseStrict(input: UnknownInput): void {
  const unknown = outsideRows(input)
  if (input.isStrict && unknown.length > 0) throw invalidRequest(unknown.map(unknownError))
}

function outsideRows({ members, columns, parameters }: UnknownInput): Unknown[] {
  return [...members, ...columns, ...parameters].slice(0, MAX_UNKNOWN)
}

/** The value of the header: as many whole pointers as fit, those of rows from the top of the body. */
function headerOf(input: UnknownInput): string {
  const ignored = outsideRows(input).map(({ pointer }) => pointer)
  for (const [at, unknown] of input.rows) {
    if (ignored.length >= MAX_UNKNOWN) break
    ignored.push(...unknown.map(({ pointer }) => `${input.rowsAt}/${at}${pointer}`))
  }
  let header = ''
  for (const pointer of ignored.slice(0, MAX_UNKNOWN)) {
    const longer = (header === '' ? '' : `${header},`) + encodePointer(pointer)
    if (longer.length > MAX_HEADER) break
    header = longer
  }
  return header
}

/** Percent-encodes whatever a header cannot have, and commas; slashes and the mark of a parameter stay readable. */
function encodePointer(pointer: string): string {
  return encodeURIComponent(pointer).replaceAll('%2F', '/').replaceAll('%3F', '?')
}

/** What the service says about a request or a response besides what was asked. */
interface Notices {
  ignored?: string[]
  warnings?: Warning[]
}

/** What the response to a request says of input that was ignored. */
export function ignoredOf({ unknownInput: input }: FastifyRequest): Pick<Notices, 'ignored'> {
  if (input === undefined || input.isStrict) return {}
  return listOf(outsideRows(input))
}

function listOf(unknown: Unknown[]): Pick<Notices, 'ignored'> {
  return unknown.length === 0 ? {} : { ignored: unknown.map(({ pointer }) => pointer) }
}

/** A response with what is to be said about it, and about each of its rows. */
export function withNotices(request: FastifyRequest, response: Record<string, unknown>): Record<string, unknown> {
  const { unknownInput: input } = request
  if (input === undefined) return response
  const noticed = { ...response, ...ignoredOf(request), ...warningMember(response) }
  const results = resultsIn(response)
  if (results.length === 0) return noticed
  const ofRow = (at: number) => (input.isStrict ? {} : listOf(input.rows.get(at) ?? []))
  return { ...noticed, results: results.map((row, at) => ({ ...row, ...ofRow(at), ...warningMember(row) })) }
}

function warningMember(object: Record<string, unknown>): Pick<Notices, 'warnings'> {
  const warnings = warningsOf(object)
  return warnings.length === 0 ? {} : { warnings }
}

/** Says in a header that a response has URLs that others cannot reach. */
export function warnOfUrls(reply: FastifyReply, response: object): void {
  const object = { ...response }
  for (const each of [object, ...resultsIn(object)]) warnOfLocalUrl(reply, serviceUrlOf(each) ?? '')
}

/** The results of the rows of a request, in their order. */
function resultsIn({ results }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(results) ? results.filter(isRecord) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
