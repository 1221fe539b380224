import {
  keepLinks,
  MAX_KEPT,
  readKept,
  readKeptCollections,
  writeKept,
  writeKeptCollections,
  type KeptLink,
} from '../my-links/kept-links.ts'
import { keepCollection, MAX_KEPT_COLLECTIONS, type KeptCollection } from '../my-links/kept-collections.ts'
import { forgetKept, type Keyed } from '../my-links/kept-list.ts'
import { keptStorage } from './kept-storage.ts'

/** What became of an attempt to keep something: the browser may forbid it, or have no more room for it. */
export type Keeping = 'kept' | 'failed' | 'full'

/** A private address that this browser can keep. */
export interface Keepable {
  isKept: () => boolean
  /** What is kept has perhaps a new key or name, which the browser then keeps instead; returns whether it is kept. */
  refresh: () => boolean
  keep: () => Keeping
  /** Returns whether it is no longer kept. */
  drop: () => boolean
}

export function keepableLink(link: KeptLink): Keepable {
  return {
    ...keepable(link, {
      read: () => readKept(keptStorage),
      add: (kept) => keepLinks(kept, [link]),
      write: (links) => writeKept(keptStorage, links),
      most: MAX_KEPT,
    }),
    refresh() {
      const kept = readKept(keptStorage)
      const isKept = kept.some(({ code }) => code.toLowerCase() === link.code.toLowerCase())
      return isKept && writeKept(keptStorage, keepLinks(kept, [link]))
    },
  }
}

/** @param replaced its earlier key, if it has a new one */
export function keepableCollection(collection: KeptCollection, replaced = collection.token): Keepable {
  const read = () => readKeptCollections(keptStorage)
  const add = (kept: KeptCollection[]) => keepCollection(kept, collection)
  const write = (collections: KeptCollection[]) => writeKeptCollections(keptStorage, collections)
  return {
    ...keepable(collection, { read, add, write, most: MAX_KEPT_COLLECTIONS }),
    refresh() {
      const kept = read()
      const isKept = kept.some(({ token }) => token === replaced)
      const renewed = kept.map((each) => (each.token === replaced ? { ...each, token: collection.token } : each))
      return isKept && write(add(renewed))
    },
  }
}

interface List<T> {
  read: () => T[]
  add: (kept: T[]) => T[]
  write: (kept: T[]) => boolean
  most: number
}

function keepable<T extends Keyed>({ token }: T, { read, add, write, most }: List<T>): Omit<Keepable, 'refresh'> {
  return {
    isKept: () => read().some((each) => each.token === token),
    keep() {
      const kept = add(read())
      return kept.length > most ? 'full' : write(kept) ? 'kept' : 'failed'
    },
    drop: () => write(forgetKept(read(), new Set([token]))),
  }
}
