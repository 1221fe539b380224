import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from '#typebox'
import { Compile } from '#typebox/compile'
import type { TLocalizedValidationError } from '#typebox/error'
import { Settings } from '#typebox/system'
import { shorten } from '../lib/shorten.ts'
import { cutToBounds } from './cut-to-bounds.ts'
import { invalidRequest, MAX_ERRORS, type FieldError } from './problem.ts'

// One more than is ever told, so that there being more can be told.
Settings.Set({ maxErrors: MAX_ERRORS + 1 })

/** Finds the faults of a value, the first hundred or so. Nothing is coerced, defaulted or removed. */
export type Validator = (value: unknown) => FieldError[]

/** The sentence for a broken `pattern` or `propertyNames` stands beside it in the schema, for the docs and the error. */
export const RULE = 'x-rule'

/** Compiles a schema. The errors name the field by its JSON Pointer, and the bound. */
export function createValidator(schema: TSchema): Validator {
  // Compiled when first needed: a start need not wait for the checks of every route.
  let compiled: ReturnType<typeof Compile> | undefined
  return (value) => {
    compiled ??= Compile(schema)
    // Lengths come first: no item of a list is looked at before it is known how many there are.
    const bounded = cutToBounds(schema, value)
    return compiled.Check(bounded) ? [] : compiled.Errors(bounded).flatMap((error) => explain(error, schema))
  }
}

function explain(error: TLocalizedValidationError, schema: TSchema): FieldError[] {
  const pointer = shorten(error.instancePath)
  const say = (detail: string) => [{ pointer, detail }]
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({ pointer: `${pointer}/${name}`, detail: 'is required' }))
    case 'type':
      return say(`must be ${article(String(error.params.type))}`)
    case 'maxLength':
      return say(`must be at most ${error.params.limit} characters long`)
    case 'minLength':
      return say(
        error.params.limit === 1 ? 'must not be empty' : `must be at least ${error.params.limit} characters long`,
      )
    case 'maxItems':
      return say(`must hold at most ${error.params.limit} items`)
    case 'maxProperties':
      return say(`must hold at most ${error.params.limit} pairs`)
    case 'minimum':
    case 'maximum':
      return say(`must be ${error.params.comparison === '>=' ? 'at least' : 'at most'} ${error.params.limit}`)
    case 'enum':
      return say(`must be one of ${error.params.allowedValues.join(', ')}`)
    case 'pattern':
    case 'propertyNames':
      return say(ruleAt(schema, error.schemaPath) ?? error.message)
    case 'boolean':
      return say(strangerAt(schema, error.schemaPath) ?? error.message)
    case 'additionalProperties':
      // Each of them was told by itself.
      return []
    default:
      return say(error.message)
  }
}

/** What to say of a field that a closed object does not have, by the path of its `additionalProperties`. */
function strangerAt(schema: TSchema, path: string): string | undefined {
  const [, parent] = /^(.*)\/additionalProperties$/.exec(path) ?? []
  if (parent === undefined) return undefined
  const { properties = {} } = schemaAt(schema, parent) ?? {}
  const known = Object.keys(properties as object).join(', ')
  return ruleAt(schema, parent) ?? `is not a field; known are ${known}`
}

function article(type: string): string {
  return (
    { object: 'an object', array: 'an array', integer: 'a whole number', boolean: 'true or false' }[type] ?? `a ${type}`
  )
}

function ruleAt(schema: TSchema, path: string): string | undefined {
  return schemaAt(schema, path)?.[RULE] as string | undefined
}

function schemaAt(schema: TSchema, path: string): Record<string, unknown> | undefined {
  const steps = path.split('/').slice(1)
  const at = steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], schema)
  return at as Record<string, unknown> | undefined
}

/**
 * Fastify's validator for every route. A query string is text: where the schema says integer or number, decimal digits
 * become that number, where it says boolean, `true` and `false` become that, and anything else is a fault. Bodies pass: their schema depends on the kind of link, so that the handler
 * parses them, with the same schemas as the route shows.
 */
export const queryCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'querystring') return (value: unknown) => ({ value })
  const validate = createValidator(schema)
  const { properties = {} } = schema as { properties?: Properties }
  return (query: Record<string, string | string[]>) => {
    const known = Object.entries(properties).filter(([name]) => Object.hasOwn(query, name))
    const value = Object.fromEntries(known.map(([name, { type }]) => [name, readParameter(type, query[name])]))
    const errors = validate(value)
    return errors.length > 0 ? { error: invalidRequest(errors) } : { value }
  }
}

type Properties = Record<string, { type?: string }>

function readParameter(type: string | undefined, text: string | string[] | undefined): unknown {
  if (typeof text !== 'string') return text
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}
