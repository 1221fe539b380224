import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { deleteReplays, findReplay, insertReplay } from './store.ts'

/** How long an answer can be asked for again. */
const KEPT_MS = 24 * 60 * 60 * 1000

/** A request that may be repeated: the header's value, and everything of the request that must be the same. */
export interface Repeatable {
  key: string
  request: string
}

/**
 * Runs a creation so that its repetition gives the same answer and not a second link. `prepare` is called before each
 * try to create, and not for a repetition; what it throws ends it.
 */
export type Replays = <T>(
  repeatable: Repeatable | undefined,
  prepare: () => void,
  create: (transaction: Transaction<Tables>) => Promise<T>,
) => Promise<{ answer: T; replayed: boolean }>

/**
 * The answer is kept in the creation's own transaction, sealed under a key that is derived from the `Idempotency-Key`:
 * it holds the token, and whoever reads the database must not. The `Idempotency-Key` itself is kept nowhere.
 */
export function createReplays(db: Database, now: () => number): Replays {
  // Twins in this process wait for the first; twins in another lose the race for the look-up hash and start over.
  const underWay = new Map<string, Promise<unknown>>()

  return async (repeatable, prepare, create) => {
    if (repeatable === undefined) {
      prepare()
      return { answer: await db.transaction(create), replayed: false }
    }
    const keys = deriveKeys(repeatable.key)
    const requestHash = hash('sha256', repeatable.request, 'base64url')
    const attempt = async () => {
      for (;;) {
        const kept = await findReplay(db.write, keys.lookup, now() - KEPT_MS)
        if (kept !== undefined) return { answer: unseal(kept, requestHash, keys.seal), replayed: true }
        prepare()
        const answer = await createAndKeep(db, create, keys, requestHash, now())
        if (answer !== undefined) return { answer: answer.value, replayed: false }
      }
    }
    const before = underWay.get(keys.lookup) ?? Promise.resolve()
    const mine = before.then(attempt, attempt)
    underWay.set(keys.lookup, mine)
    try {
      return (await mine) as { answer: Awaited<ReturnType<typeof create>>; replayed: boolean }
    } finally {
      if (underWay.get(keys.lookup) === mine) underWay.delete(keys.lookup)
    }
  }
}

interface Keys {
  lookup: string
  seal: Buffer
}

/** Another process has kept an answer under the same key in the meantime; what was created here is rolled back. */
class LostRace extends Error {}

async function createAndKeep<T>(
  db: Database,
  create: (transaction: Transaction<Tables>) => Promise<T>,
  keys: Keys,
  requestHash: string,
  now: number,
): Promise<{ value: T } | undefined> {
  try {
    return await db.transaction(async (transaction) => {
      const value = await create(transaction)
      await deleteReplays(transaction, now - KEPT_MS)
      const row = { lookup: keys.lookup, request_hash: requestHash, sealed: seal(value, keys.seal), created_at: now }
      if (!(await insertReplay(transaction, row))) throw new LostRace()
      return { value }
    })
  } catch (error) {
    if (error instanceof LostRace) return undefined
    throw error
  }
}

/** Two independent keys from one secret (HKDF, RFC 5869), told apart by their labels. */
function deriveKeys(key: string): Keys {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', key, '', `quirl idempotency ${label}`, 32))
  return { lookup: derive('look-up').toString('base64url'), seal: derive('seal') }
}

/** AES-256-GCM: 12 bytes of nonce, 16 of tag, the ciphertext; base64. */
function seal(value: unknown, key: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
}

function unseal(kept: { request_hash: string; sealed: string }, requestHash: string, key: Buffer): unknown {
  if (kept.request_hash !== requestHash) {
    throw new Problem('idempotency_key_reused', 'this Idempotency-Key belongs to a request with another body')
  }
  const bytes = Buffer.from(kept.sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28))
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'))
}
