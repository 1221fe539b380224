import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'

/** How many requests of one kind may be in progress at the same time. */
export interface SlotBounds {
  perClient: number
  total: number
}

/** The kinds of requests with slots, with the text and `Retry-After` of a refusal. */
const kinds = {
  /** A browser tab with the owner's page holds one; most browsers open at most six connections to a host. */
  streams: { perClient: 4, total: 1000, subject: 'streams of totals can be open', retryAfter: 30 },
  /** A dashboard of 16 links. Beyond the slots, the warehouse has a bounded queue of its own. */
  stats: { perClient: 16, total: 256, subject: 'requests for statistics can be in progress', retryAfter: 2 },
  /** Each keeps two pages of rows in memory until its client has read them. */
  exports: { perClient: 4, total: 50, subject: 'exports can be in progress', retryAfter: 30 },
} as const satisfies Record<string, SlotBounds & { subject: string; retryAfter: number }>

export type SlotKind = keyof typeof kinds

/** A slot that a request holds. */
export interface Slot {
  /** The address of the client, to be kept no longer than the request lasts. */
  client: string
  /** Further calls do nothing. */
  release: () => void
}

/**
 * Takes a slot for a request.
 * @throws {Problem} 429 when the client holds as many as it may, 503 when all are taken; both with `Retry-After`
 */
export type TakeSlot = (request: Pick<FastifyRequest, 'raw'>) => Slot

export type Slots = Record<SlotKind, TakeSlot>

export const slotKinds = Object.keys(kinds) as SlotKind[]

/** Bounds that replace the default ones. */
export type SlotOverrides = Partial<Record<SlotKind, SlotBounds>>

export function createSlots(
  client: Pick<ClientAddress, 'of'>,
  bounds: SlotOverrides = {},
  onRefusal: (kind: SlotKind) => void = () => {},
): Slots {
  const slotsOf = (kind: SlotKind) =>
    createTakeSlot(client, bounds[kind] ?? kinds[kind], { ...kinds[kind], onRefusal: () => onRefusal(kind) })
  return { streams: slotsOf('streams'), stats: slotsOf('stats'), exports: slotsOf('exports') }
}

function createTakeSlot(
  { of }: Pick<ClientAddress, 'of'>,
  { perClient, total }: SlotBounds,
  { subject, retryAfter, onRefusal }: { subject: string; retryAfter: number; onRefusal: () => void },
): TakeSlot {
  const byClient = new Map<string, number>()
  const headers = { 'retry-after': String(retryAfter) }
  let taken = 0

  function release(client: string): void {
    taken--
    const remaining = (byClient.get(client) ?? 1) - 1
    if (remaining === 0) byClient.delete(client)
    else byClient.set(client, remaining)
  }

  return ({ raw }) => {
    const client = of(raw)
    const held = byClient.get(client) ?? 0
    if (held >= perClient) {
      onRefusal()
      const detail = `at most ${perClient} ${subject} from one address at the same time`
      throw new Problem('rate_limited', detail, { headers })
    }
    if (taken >= total) {
      onRefusal()
      const detail = `at most ${total} ${subject} at the same time, and all are taken`
      throw new Problem('unavailable', detail, { headers })
    }
    byClient.set(client, held + 1)
    taken++
    let isHeld = true
    return {
      client,
      release() {
        if (isHeld) release(client)
        isHeld = false
      },
    }
  }
}
