import { isObject } from '../../http/body.ts'
import { createValidator, type Validator } from '../../http/validate.ts'
import { kindOf, kinds } from '../kinds/index.ts'
import type { Content } from '../link.ts'

const validators = new Map<string, Validator>(
  kinds.flatMap(({ name, stamp }) => (stamp === undefined ? [] : [[name, createValidator(stamp.schema)] as const])),
)

/** A new link with what a bundle says that its kind has kept beside its fields, if that is valid; else it begins anew. */
export function withImportedStamp<T extends Pick<Content, 'kind' | 'payload'>>(draft: T, row: object): T {
  const { stamp } = kindOf(draft)
  const { payload } = row as { payload?: unknown }
  if (stamp === undefined || !isObject(payload)) return draft
  const brought = payload[stamp.name]
  const isValid = brought !== undefined && validators.get(draft.kind)?.(brought).length === 0
  return isValid ? { ...draft, payload: { ...draft.payload, [stamp.name]: brought } } : draft
}
