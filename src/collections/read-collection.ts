import { asObject } from '../http/body.ts'
import { createBodyReader } from '../http/body-reader.ts'
import { readLooks, type LookChanges } from './looks.ts'
import { collectionBody } from './schemas.ts'

/** @throws {Problem} 400 for an invalid field */
export const readCreation = createBodyReader(collectionBody)

/** The changes of a collection that a body names; its webhook as it stands there. @throws {Problem} 400 for an invalid field */
export function readUpdate(body: unknown): { name?: string | null; looks?: LookChanges; webhook?: unknown } {
  const { name, looks, webhook } = asObject(body)
  return {
    ...(name === null ? { name } : readCreation(body)),
    ...(looks !== undefined && { looks: readLooks(looks) }),
    ...(webhook !== undefined && { webhook }),
  }
}
