import { isRecord, isText, isTime, mergeKept, type Keyed } from './kept-list.ts'

/** A kept collection. Its address is made from the token, so that a file cannot lead elsewhere. */
export interface KeptCollection extends Keyed {
  name: string | null
  /** Whether the last link was created in it: the start page proposes it for the next one. */
  chosen?: true
}

/** The most collections that a browser keeps. */
export const MAX_KEPT_COLLECTIONS = 100
/** The most characters of a collection's name. */
const MAX_NAME = 100

/** The first invalid field of a collection in a file; `collection` stands for what is no object. */
export type CollectionFault = 'collection' | 'collection_token' | 'name' | 'collection_created_at'

/** Returns the first invalid field, where there is one. */
export function readCollection(value: unknown): KeptCollection | CollectionFault {
  if (!isRecord(value)) return 'collection'
  const { token, name = null, created_at: createdAt, chosen } = value
  if (!isText(token, /^collection_[\w-]{43}$/)) return 'collection_token'
  if (name !== null && (typeof name !== 'string' || name.length > MAX_NAME)) return 'name'
  if (!isTime(createdAt)) return 'collection_created_at'
  return { token, name, created_at: createdAt, ...(chosen === true && { chosen }) }
}

/** Adds a collection, or what is new of one that is kept. */
export function keepCollection(kept: readonly KeptCollection[], collection: KeptCollection): KeptCollection[] {
  const earlier = kept.find(({ token }) => token === collection.token)
  return mergeKept([{ ...earlier, ...collection }], kept)
}

/** Remembers which collection was chosen last. @param token empty for none */
export function chooseCollection(kept: readonly KeptCollection[], token: string): KeptCollection[] {
  return kept.map(({ chosen: _chosen, ...each }) => (each.token === token ? { ...each, chosen: true } : each))
}

/** The collections whose name contains a text. */
export function searchCollections(kept: readonly KeptCollection[], text: string): KeptCollection[] {
  const wanted = text.trim().toLowerCase()
  return kept.filter(({ name }) => (name ?? '').toLowerCase().includes(wanted))
}
