import type { Static, TSchema } from '#typebox'
import { asObject } from './body.ts'
import { invalidRequest } from './problem.ts'
import { createValidator } from './validate.ts'

/** Reads bodies of a schema. @returns a function that throws a 400 with every invalid field */
export function createBodyReader<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const validate = createValidator(schema)
  return (body) => {
    const fields = asObject(body)
    const errors = validate(fields)
    if (errors.length > 0) throw invalidRequest(errors)
    return fields as Static<T>
  }
}
