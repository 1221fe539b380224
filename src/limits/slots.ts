import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import { asHolder, type Holder } from '../lib/holder.ts'

/** The kinds of requests with slots: how many there are, which gives way, and the text and `Retry-After` of a refusal. */
const kinds = {
  /** A browser tab with the owner's page holds one. */
  streams: { most: 1000, choose: undefined, subject: 'streams of totals can be open', retryAfter: 30 },
  /** Beyond the slots, the warehouse has a queue of its own. */
  stats: { most: 256, choose: undefined, subject: 'requests for statistics can be in progress', retryAfter: 2 },
  /** Each keeps two pages of rows in memory until its client has read them. */
  exports: { most: 50, choose: slowestOf, subject: 'exports can be in progress', retryAfter: 30 },
} as const

export type SlotKind = keyof typeof kinds

/** A slot that a request holds. */
export interface Slot {
  /** Who holds it; to be kept no longer than the request lasts. */
  holder: Holder
  /** Aborts, with the problem that others get, when the slot gives way to a request of a smaller holder. */
  signal: AbortSignal
  /** To be called when the client has received a further part: of the exports of one client, the slowest gives way. */
  advance: () => void
  /** Further calls do nothing. */
  release: () => void
}

/**
 * Takes a slot for a request.
 * @param about the id of the link or of the collection concerned
 * @throws {Problem} 503 with `Retry-After` when all are taken, and no other holder has more
 */
export type TakeSlot = (request: Pick<FastifyRequest, 'raw'>, about?: number | string) => Slot

export type Slots = Record<SlotKind, TakeSlot>

export const slotKinds = Object.keys(kinds) as SlotKind[]

/** Numbers of slots that replace the default ones. */
export type SlotOverrides = Partial<Record<SlotKind, number>>

export function createSlots(
  client: Pick<ClientAddress, 'of'>,
  numbers: SlotOverrides = {},
  onRefusal: (kind: SlotKind) => void = () => {},
): Slots {
  const slotsOf = (kind: SlotKind) =>
    createTakeSlot(client, { ...kinds[kind], most: numbers[kind] ?? kinds[kind].most }, () => onRefusal(kind))
  return { streams: slotsOf('streams'), stats: slotsOf('stats'), exports: slotsOf('exports') }
}

interface SlotBounds {
  most: number
  choose: typeof slowestOf | undefined
  subject: string
  retryAfter: number
}

function createTakeSlot(
  { of }: Pick<ClientAddress, 'of'>,
  { most, choose, subject, retryAfter }: SlotBounds,
  onRefusal: () => void,
): TakeSlot {
  const pool = createFairPool<AbortController>({ capacity: most, ...(choose && { choose }) })

  function refusal(): Problem {
    onRefusal()
    const headers = { 'retry-after': String(retryAfter) }
    return new Problem('unavailable', `at most ${most} ${subject} at the same time, and all are taken`, { headers })
  }

  return ({ raw }, about) => {
    const holder = { ...asHolder(of(raw)), about }
    // No request ends another one of its own holder.
    if (pool.isRefused(holder)) throw refusal()
    const slot = new AbortController()
    for (const leaving of pool.put(slot, holder)) leaving.abort(refusal())
    return {
      holder,
      signal: slot.signal,
      advance() {
        if (pool.remove(slot)) pool.put(slot, holder)
      },
      release: () => void pool.remove(slot),
    }
  }
}
