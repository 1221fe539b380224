import { hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { insertTicketKey } from './ticket-key-store.ts'

/** How long one secret encrypts tickets. A ticket of an earlier period is rejected, which leads to a full handshake. */
const PERIOD_MS = 12 * 60 * 60 * 1000

/** The length of Node's `ticketKeys`. */
const KEY_BYTES = 48

/** The keys of TLS session tickets, which all processes on the store share. */
export interface TicketKeys {
  period: () => number
  /** The key of a name in this period. It cannot decrypt the tickets of other names. */
  keyFor: (name: string) => Promise<Buffer>
}

export function createTicketKeys(db: Database, now: () => number): TicketKeys {
  let current: { period: number; key: string } | undefined
  const period = () => Math.floor(now() / PERIOD_MS)

  async function secret(): Promise<string> {
    const wanted = period()
    if (current?.period !== wanted) {
      const key = await insertTicketKey(db.write, wanted, randomBytes(KEY_BYTES).toString('base64'))
      current = { period: wanted, key }
    }
    return current.key
  }

  return {
    period,
    keyFor: async (name) =>
      Buffer.from(hkdfSync('sha256', await secret(), '', `quirl session tickets of ${name}`, KEY_BYTES)),
  }
}
