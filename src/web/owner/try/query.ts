import type { Link } from '../../../links/link.ts'
import { LEAST_WIDTH, MOST_WIDTH, USUAL_WIDTH } from './size-words.ts'
import type { TryView } from './view.ts'

/** Scans are awaited for a day: who opens the page later begins anew. */
const MOST_AWAITED_MS = 86_400_000

/** What the address of the page asks for. */
export interface Asked extends Pick<TryView, 'width' | 'placement' | 'since' | 'looks'> {
  /** Whether the script of the page asks, which needs no more than what has arrived. */
  onlyScans: boolean
}

/** Reads the address of the page. An invalid field gets its default, as on the page of the link. */
export function askedIn(query: Record<string, unknown>, { placements }: Pick<Link, 'placements'>, now: number): Asked {
  const [width, since] = [numberIn(query['mm']), numberIn(query['since'])]
  const place = query['placement']
  return {
    width: width !== undefined && width >= LEAST_WIDTH && width <= MOST_WIDTH ? width : USUAL_WIDTH,
    placement: placements.find(({ id }) => id === place),
    since: since !== undefined && since <= now && since > now - MOST_AWAITED_MS ? since : now,
    looks: numberIn(query['look']) ?? 0,
    onlyScans: query['only'] === 'scans',
  }
}

/** A whole number in decimal digits. */
function numberIn(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
