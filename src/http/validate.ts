import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from '#typebox'
import { Compile } from '#typebox/compile'
import type { TLocalizedValidationError } from '#typebox/error'
import { Settings } from '#typebox/system'
import { shorten } from '../lib/shorten.ts'
import { truncateToSchema } from './truncate-to-schema.ts'
import { invalidRequest, MAX_ERRORS, REASON, type FieldError, type Reason } from './problem.ts'

// One more than a response lists, so that it can say that there are more.
Settings.Set({ maxErrors: MAX_ERRORS + 1 })

/** Returns the errors of a value, the first hundred or so. Coerces, defaults and removes nothing. */
export type Validator = (value: unknown) => FieldError[]

/** The key of a schema that holds the error message for its `pattern` or `propertyNames`. */
export const RULE = 'x-rule'

/** Compiles a schema to a validator. */
export function createValidator(schema: TSchema): Validator {
  // Compiled at first use: compiling the schemas of all routes would delay the start.
  let compiled: ReturnType<typeof Compile> | undefined
  return (value) => {
    compiled ??= Compile(schema)
    // Lengths are checked first, so that no item of an overlong list is validated.
    const bounded = truncateToSchema(schema, value)
    return compiled.Check(bounded) ? [] : compiled.Errors(bounded).flatMap((error) => explain(error, schema))
  }
}

function explain(error: TLocalizedValidationError, schema: TSchema): FieldError[] {
  const pointer = shorten(error.instancePath)
  const fault = (detail: string, reason?: Reason) => [{ pointer, detail, ...(reason && { [REASON]: reason }) }]
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => isRequired(`${pointer}/${name}`))
    case 'type':
      return fault(`must be ${article(String(error.params.type))}`)
    case 'maxLength':
      return fault(`must be at most ${error.params.limit} characters long`, tooMuch('too_long', error.params.limit))
    case 'minLength':
      return fault(
        error.params.limit === 1 ? 'must not be empty' : `must be at least ${error.params.limit} characters long`,
        error.params.limit === 1 ? { name: 'required' } : undefined,
      )
    case 'maxItems':
      return fault(`must hold at most ${error.params.limit} items`, tooMuch('too_many', error.params.limit))
    case 'maxProperties':
      return fault(`must hold at most ${error.params.limit} pairs`)
    case 'minimum':
    case 'maximum':
      return fault(`must be ${error.params.comparison === '>=' ? 'at least' : 'at most'} ${error.params.limit}`)
    case 'enum':
      return fault(`must be one of ${error.params.allowedValues.join(', ')}`)
    case 'pattern':
    case 'propertyNames':
      return fault(ruleAt(schema, error.schemaPath) ?? error.message, { name: 'pattern' })
    case 'boolean':
      return fault(unknownFieldAt(schema, error.schemaPath) ?? error.message)
    case 'additionalProperties':
      // Each unknown field has an error of its own.
      return []
    default:
      return fault(error.message)
  }
}

/** The error of a field that is absent. */
export function isRequired(pointer: string): FieldError {
  return { pointer, detail: 'is required', [REASON]: { name: 'required' } }
}

function tooMuch(name: 'too_long' | 'too_many', limit: number): Reason {
  return { name, limit }
}

/** The message for an unknown field of a closed object, by the path of its `additionalProperties`. */
function unknownFieldAt(schema: TSchema, path: string): string | undefined {
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
 * Fastify's validator for every route. Query parameters are text: where the schema has an integer, a number or a boolean,
 * their text is parsed as one, and anything else is an error. Bodies pass: their schema depends on the kind of link, so
 * the handler validates them, with the schemas that the route documents.
 */
export const queryCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'querystring') return () => true
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
  // A parameter that may be repeated has one value all the same.
  if (type === 'array') return [text].flat()
  if (typeof text !== 'string') return text
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}
