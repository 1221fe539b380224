import { hkdfSync, randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { shareRun } from '../lib/share-runs.ts'
import { throttle } from '../lib/throttle.ts'
import { findTicketKey, insertTicketKey } from './ticket-key-store.ts'

/** How long one secret encrypts tickets. A ticket of an earlier period is rejected, which leads to a full handshake. */
const PERIOD_MS = 12 * 60 * 60 * 1000

/** The length of Node's `ticketKeys`. */
const KEY_BYTES = 48

/** The pause between handshakes that look whether the store answers again. */
const RETRY_MS = 1000

const LOG_MS = 60_000
const FAULT =
  'the key of session tickets cannot be read or stored: until it can, tickets are valid in this process only'

/**
 * The secrets of TLS session tickets, which all processes on the store share. A handshake never waits for one: while the store
 * is away, a secret that only this process knows is in use, whose tickets the other processes reject.
 */
export interface TicketSecrets {
  /** The secret of this period. */
  current: () => string
  /** Loads the secrets of this period and of the next, or stores new ones, ahead of the time when they are needed. Never rejects. */
  prepare: () => Promise<void>
}

/** The key of a name's tickets. It cannot decrypt the tickets of other names. */
export function ticketKey(secret: string, name: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `quirl session tickets of ${name}`, KEY_BYTES))
}

interface PeriodSecret {
  period: number
  secret: string
  /** Whether the store has it. */
  isShared: boolean
}

interface TicketDeps {
  db: Database
  now: () => number
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'error'>
}

export function createTicketSecrets({ db, now, monotonic, log }: TicketDeps): TicketSecrets {
  const secrets = new Map<number, PeriodSecret>()
  let latest: PeriodSecret | undefined
  const currentPeriod = () => Math.floor(now() / PERIOD_MS)

  function secretOf(period: number): PeriodSecret {
    const known = secrets.get(period)
    if (known !== undefined) return known
    const made = { period, secret: randomBytes(KEY_BYTES).toString('base64'), isShared: false }
    secrets.set(period, made)
    return made
  }

  async function loadOrStore(): Promise<void> {
    const first = currentPeriod()
    for (const period of [first, first + 1]) {
      const known = secretOf(period)
      if (known.isShared) continue
      // The store may be readable and not writable.
      const stored = await findTicketKey(db.read, period)
      const secret = stored ?? (await insertTicketKey(db.write, period, known.secret, first))
      secrets.set(period, { period, secret, isShared: true })
      latest = undefined
    }
    for (const period of secrets.keys()) if (period < first) secrets.delete(period)
  }
  const report = throttle(LOG_MS, monotonic, (err: unknown) => log.error({ err }, FAULT))
  const prepare = shareRun(() => loadOrStore().catch(report))
  const retry = throttle(RETRY_MS, monotonic, () => void prepare())

  return {
    current() {
      const period = currentPeriod()
      if (latest?.period !== period) latest = secretOf(period)
      if (!latest.isShared) retry()
      return latest.secret
    },
    prepare,
  }
}
