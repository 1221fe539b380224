import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Transaction } from '#kysely'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import { Problem } from '../../http/problem.ts'
import { createInTurn } from '../../lib/in-turn.ts'
import { deleteResponses, fillResponse, findResponse, reserveResponse } from './idempotency-store.ts'

/** How long a response is stored for retries. */
const RETENTION_MS = 24 * 60 * 60 * 1000

/** How often older responses are looked for. */
const DELETE_MS = 60_000

/**
 * Responses that are deleted at a time, more than a creation adds. Those of bulk requests have hundreds of kilobytes, whose pages
 * are freed one by one; a day's responses of one network, all together, held visits for seconds.
 */
const DELETED_AT_A_TIME = 4

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** The header's value. */
  key: string
  /** Everything of the request that a retry must have in common with it. */
  request: string
  /** The headers among that, for a request of which nothing else is compared. */
  covered?: unknown[]
  /** Whether it is also a retry of the request with this response, which has another `request`. */
  isAnsweredBy?: (response: unknown) => boolean
}

type Create<T> = (transaction: Transaction<Tables>) => Promise<T>

/** Runs creations so that a retry returns the first response and creates no second link. */
export interface Idempotency {
  /** @param prepare is called before each attempt to create, and not for a retry; when it throws, the run ends */
  run: <T>(
    request: IdempotentRequest | undefined,
    prepare: () => Promise<void>,
    create: Create<T>,
  ) => Promise<{ response: T; isRetry: boolean }>
  /** Whether a response is stored under a key. */
  has: (key: string) => Promise<boolean>
}

/**
 * Stores each response in the transaction of its creation, encrypted with a key that is derived from the
 * `Idempotency-Key`: the response holds the token, which nobody may learn from the database. The hash of the request is
 * keyed likewise: the request may hold a password. The `Idempotency-Key` itself is not stored.
 */
export function createIdempotency(db: Database, now: () => number): Idempotency {
  // A concurrent request with the same key waits for the first in this process; one in another process waits for it in the
  // store, where the first has reserved the look-up hash.
  const inTurn = createInTurn()
  const deleteOld = createDeletion(db, now)

  return {
    async run<T>(request: IdempotentRequest | undefined, prepare: () => Promise<void>, create: Create<T>) {
      if (request === undefined) {
        await prepare()
        return { response: await db.transaction(create), isRetry: false }
      }
      await deleteOld()
      const keys = deriveKeys(request.key)
      return inTurn(keys.lookup, () => runOnce(db, now, { ...request, keys, prepare, create }))
    },
    async has(key) {
      return (await findResponse(db.read, deriveKeys(key).lookup, now() - RETENTION_MS)) !== undefined
    },
  }
}

/**
 * Deletes some expired responses before each creation, until none is left. Not part of the creations: they would wait for each
 * other, where they run concurrently.
 */
function createDeletion(db: Database, now: () => number): () => Promise<void> {
  let noneSince = Number.NEGATIVE_INFINITY
  let isRunning = false
  const deleteSome = async (at: number) => {
    const deleted = await db.transaction(async (transaction) => {
      await db.lock(transaction, 'expired responses')
      return deleteResponses(transaction, at - RETENTION_MS, DELETED_AT_A_TIME)
    })
    if (deleted < DELETED_AT_A_TIME) noneSince = at
  }
  return async () => {
    const at = now()
    // The clock may have been set back.
    if (isRunning || (at - noneSince < DELETE_MS && at >= noneSince)) return
    isRunning = true
    await deleteSome(at).finally(() => (isRunning = false))
  }
}

interface Run<T> extends Omit<IdempotentRequest, 'key'> {
  keys: Keys
  prepare: () => Promise<void>
  create: Create<T>
}

interface Keys {
  lookup: string
  encryption: Buffer
  request: Buffer
}

async function runOnce<T>(
  db: Database,
  now: () => number,
  { keys, request, isAnsweredBy, prepare, create }: Run<T>,
): Promise<{ response: T; isRetry: boolean }> {
  const requestHash = createHmac('sha256', keys.request).update(request).digest('base64url')
  // Earlier versions, whose requests held no passwords, stored it without a key.
  const isSame = (stored: string) => stored === requestHash || stored === hash('sha256', request, 'base64url')
  for (;;) {
    const stored = await findResponse(db.write, keys.lookup, now() - RETENTION_MS)
    if (stored !== undefined) {
      const response = decrypt(stored.response, keys.encryption)
      if (!isSame(stored.request_hash) && isAnsweredBy?.(response) !== true) {
        throw new Problem(
          'idempotency_key_reused',
          'this Idempotency-Key was used for a request with another address, body or Prefer',
        )
      }
      return { response: response as T, isRetry: true }
    }
    await prepare()
    const created = await createAndStore(db, create, keys, requestHash, now())
    if (created !== undefined) return { response: created.response, isRetry: false }
  }
}

/** Another process has stored a response under the same key in the meantime. */
class LostRace extends Error {}

/** Reserves the look-up hash first: a concurrent retry in another process waits there, and not for the creation's alias. */
async function createAndStore<T>(
  db: Database,
  create: Create<T>,
  { lookup, encryption }: Keys,
  requestHash: string,
  now: number,
): Promise<{ response: T } | undefined> {
  const row = { lookup, request_hash: requestHash, created_at: now }
  try {
    return await db.transaction(async (transaction) => {
      if (!(await reserveResponse(transaction, row, now - RETENTION_MS))) throw new LostRace()
      const response = await create(transaction)
      await fillResponse(transaction, lookup, encrypt(response, encryption))
      return { response }
    })
  } catch (error) {
    if (error instanceof LostRace) return undefined
    throw error
  }
}

/** Derives three independent keys from one secret (HKDF, RFC 5869); their labels keep them apart. */
function deriveKeys(key: string): Keys {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', key, '', `quirl idempotency ${label}`, 32))
  return { lookup: derive('look-up').toString('base64url'), encryption: derive('seal'), request: derive('request') }
}

/** AES-256-GCM: 12 bytes of nonce, 16 of tag, the ciphertext; base64. */
function encrypt(value: unknown, key: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
}

function decrypt(text: string, key: Buffer): unknown {
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28))
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'))
}
