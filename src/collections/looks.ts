import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '#kysely'
import type { Database, Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { isObject } from '../http/body.ts'
import { invalidRequest, type FieldError } from '../http/problem.ts'
import { shorten } from '../lib/shorten.ts'
import type { Client } from '../links/client.ts'
import type { Designs } from '../links/design.ts'
import { MAX_LOOKS, MAX_LOOKS_LENGTH } from './bounds.ts'
import {
  deleteLooks,
  findAllLooks,
  findLookNames,
  findNamedLooks,
  insertLook,
  measureLooks,
  type StoredLook,
} from './looks-store.ts'

/** Looks by their names; null removes one. */
export type LookChanges = ReadonlyMap<string, object | null>

/** As long as random codes, of which nearly all links have one: their codes look alike. */
const TYPICAL_CODE = '2345678'

const nameExpression = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,39}$/u
const NAME_RULE =
  'must have a name of 1 to 40 letters, digits, blanks, ".", "_" and "-" that begins with a letter or a digit'

/**
 * Reads the looks of a request.
 * @throws {Problem} 400 with every name that is none, and every value that is no object
 */
export function readLooks(value: unknown): LookChanges {
  if (!isObject(value)) throw invalidRequest([{ pointer: '/looks', detail: 'must be an object' }])
  const looks = Object.entries(value)
  if (looks.length > 2 * MAX_LOOKS) throw tooMany()
  const errors = looks.flatMap(([name, look]): FieldError[] => {
    if (!nameExpression.test(name)) return [{ pointer: pointerOf(name), detail: NAME_RULE }]
    return look === null || isObject(look) ? [] : [{ pointer: pointerOf(name), detail: 'must be a design, or null' }]
  })
  if (errors.length > 0) throw invalidRequest(errors)
  return new Map(looks as [string, object | null][])
}

const pointerOf = (name: string) => `/looks/${shorten(name).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The looks of collections. */
export interface Looks {
  lookNames: (collection: { id: string }) => Promise<string[]>
  /** The design of one of them. */
  look: (collection: { id: string }, name: string) => Promise<object | undefined>
  /** The designs of all, by their names: up to two megabytes, which are read in the turn of whoever asks. */
  looksOf: (collection: { id: string }) => Promise<Record<string, object>>
}

export function openLooks(db: Pick<Database, 'read'>): Looks {
  return {
    lookNames: ({ id }) => findLookNames(db.read, id),
    look: async ({ id }, name) => (await namedLooks(db.read, id, [name])).get(name),
    looksOf: async ({ id }) => Object.fromEntries(parsed(await findAllLooks(db.read, id))),
  }
}

/** Those that have one of these names. */
export async function namedLooks(db: Executor, collectionId: string, names: string[]): Promise<Map<string, object>> {
  // PostgreSQL refuses what no text can hold, and no look has such a name.
  const possible = names.filter((name) => nameExpression.test(name))
  return parsed(possible.length === 0 ? [] : await findNamedLooks(db, collectionId, possible))
}

function parsed(looks: StoredLook[]): Map<string, object> {
  return new Map(looks.map(({ name, design }) => [name, JSON.parse(design) as object]))
}

/**
 * Checks looks, each on a code as most links have one. Those that the collection has already are not checked again; the others are
 * charged before the first is drawn.
 * @throws {Problem} 400 when one is invalid or cannot be scanned, 429, 503 when too many images wait
 */
export async function checkLooks(
  { db, designs }: { db: Database; designs: Designs },
  collectionId: string,
  looks: LookChanges,
  { origin, holder, charge, chargeRoom }: Client,
): Promise<void> {
  const present = await namedLooks(db.read, collectionId, [...looks.keys()])
  const changed = [...looks].filter(([name, look]) => look !== null && !isDeepStrictEqual(look, present.get(name)))
  if (changed.length > 0) {
    await charge('qr', changed.length)
    await chargeRoom(() => Buffer.byteLength(JSON.stringify(changed)))
  }
  for (const [name, look] of changed)
    await designs.requireScannable(look, { code: TYPICAL_CODE, origin, at: pointerOf(name) }, holder)
}

/**
 * Saves looks that were checked, in a transaction that keeps others from changing the collection.
 * @throws {Problem} 400 when the collection would have too many, or they would be too large
 */
export async function saveLooks(
  transaction: Transaction<Tables>,
  collectionId: string,
  looks: LookChanges,
): Promise<void> {
  await deleteLooks(transaction, collectionId, [...looks.keys()])
  for (const [name, look] of looks)
    if (look !== null) await insertLook(transaction, collectionId, { name, design: JSON.stringify(look) })
  const { count, characters } = await measureLooks(transaction, collectionId)
  if (count > MAX_LOOKS) throw tooMany()
  if (characters <= MAX_LOOKS_LENGTH) return
  const detail = `must have designs of at most ${MAX_LOOKS_LENGTH} characters together, but they would have ${characters}`
  throw invalidRequest([{ pointer: '/looks', detail }])
}

function tooMany() {
  return invalidRequest([{ pointer: '/looks', detail: `must be at most ${MAX_LOOKS}` }])
}
