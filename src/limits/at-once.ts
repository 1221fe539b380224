import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'

/** How much of one kind may be under way at the same time. */
export interface Bounds {
  perClient: number
  inAll: number
}

/** What is bounded so, and how a refusal says it. */
const kinds = {
  /** A browser tab with the owner's page holds one; most browsers open at most six connections to a host. */
  streams: { perClient: 4, inAll: 1000, subject: 'streams of totals can be open', seconds: 30 },
  /** What waits is bounded before it waits; 16 is a dashboard of as many links. */
  stats: { perClient: 16, inAll: 256, subject: 'requests for statistics can be under way', seconds: 2 },
  /** Each holds two pages of rows in memory, for as long as its reader takes. */
  exports: { perClient: 4, inAll: 50, subject: 'exports can be under way', seconds: 30 },
} as const satisfies Record<string, Bounds & { subject: string; seconds: number }>

type Kind = keyof typeof kinds

/** What a request holds while it is under way. */
export interface Place {
  /** The client that holds it, for as long as the request lasts. */
  client: string
  /** Gives the place back; to be called once at least. */
  leave: () => void
}

/**
 * Takes a place for a request.
 * @throws {Problem} 429 when its client holds as many as it may, 503 when all are taken; both with `Retry-After`
 */
export type TakePlace = (request: Pick<FastifyRequest, 'raw'>) => Place

export type Places = Record<Kind, TakePlace>

/** Bounds in place of the usual ones. */
export type PlaceBounds = Partial<Record<Kind, Bounds>>

export function createPlaces(client: Pick<ClientAddress, 'of'>, bounds: PlaceBounds = {}): Places {
  const places = (kind: Kind) => {
    const { subject, seconds, ...usual } = kinds[kind]
    return createTakePlace(client, bounds[kind] ?? usual, { subject, seconds })
  }
  return { streams: places('streams'), stats: places('stats'), exports: places('exports') }
}

function createTakePlace(
  { of }: Pick<ClientAddress, 'of'>,
  { perClient, inAll }: Bounds,
  { subject, seconds }: { subject: string; seconds: number },
): TakePlace {
  const held = new Map<string, number>()
  const headers = { 'retry-after': String(seconds) }
  let all = 0

  return ({ raw }) => {
    const client = of(raw)
    const own = held.get(client) ?? 0
    if (own >= perClient)
      throw new Problem('rate_limited', `at most ${perClient} ${subject} from one address at the same time`, {
        headers,
      })
    if (all >= inAll)
      throw new Problem('unavailable', `at most ${inAll} ${subject} at the same time, and all are taken`, { headers })
    held.set(client, own + 1)
    all++
    let isHeld = true
    return {
      client,
      leave() {
        if (!isHeld) return
        isHeld = false
        all--
        const rest = (held.get(client) ?? 1) - 1
        if (rest === 0) held.delete(client)
        else held.set(client, rest)
      },
    }
  }
}
