import { hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { keepTicketKey } from './store.ts'

/** How long one secret seals tickets; a ticket of the period before is refused, and the handshake is a full one. */
const PERIOD_MS = 12 * 60 * 60 * 1000

/** What Node takes as `ticketKeys`, in bytes. */
const KEY_BYTES = 48

/** The keys that TLS session tickets are sealed with, the same in all processes on the store. */
export interface TicketKeys {
  period: () => number
  /** The key of a name in this period: another name's tickets cannot be opened with it. */
  keyFor: (name: string) => Promise<Buffer>
}

export function createTicketKeys(db: Database, now: () => number): TicketKeys {
  let current: { period: number; key: string } | undefined
  const period = () => Math.floor(now() / PERIOD_MS)

  async function secret(): Promise<string> {
    const wanted = period()
    if (current?.period !== wanted) {
      const key = await keepTicketKey(db.write, wanted, randomBytes(KEY_BYTES).toString('base64'))
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
