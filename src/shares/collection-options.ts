import { createBodyReader } from '../http/body-reader.ts'
import type { CollectionShareOptions } from './of-collections.ts'
import { collectionShareBody } from './schemas.ts'

const read = createBodyReader(collectionShareBody)

/** What the body of a request chooses for a share of a collection. @throws {Problem} 400 for an invalid field */
export function collectionShareOptions(body: unknown): CollectionShareOptions {
  const { name = null, campaign = null, csv = false, destination = false } = read(body)
  return { name, campaign, csv, destination }
}
