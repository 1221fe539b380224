import { dayOf } from '../calendar.ts'
import { personOf } from '../describing/visitor-key.ts'
import type { FoldedScan, Scan } from '../scan.ts'

/** Agents of one address that count as visitors of a link on a day, each. */
export const MAX_AGENTS = 16
/** People of one address that count on a link and day: one client can send any device, system and browser. */
export const MAX_PEOPLE = 64

/** Keys of visitors of one UTC day. */
export interface DayKeys {
  /** Whether a key is there; `again` when this chunk has added it in an earlier attempt, and nobody has asked since. */
  find: (linkId: number, key: number) => 'known' | 'again' | undefined
  /** How many keys the address of this key has; a number above `limit` may be any. */
  count: (linkId: number, key: number, limit: number) => number
  add: (linkId: number, key: number) => void
}

/** The keys of a day: those of agents, by which visitors are told, and those of people. */
export interface KeysOfDay {
  agents: DayKeys
  people: DayKeys
}

/**
 * Flags the first scans of visitors on their days, and the first of people.
 * @param addsKeys whether further keys may be stored; without, a scan whose keys are not there is untold
 */
export function flagFirsts(scans: readonly Scan[], keysOf: (day: number) => KeysOfDay, addsKeys = true): FoldedScan[] {
  const [maxAgents, maxPeople] = addsKeys ? [MAX_AGENTS, MAX_PEOPLE] : [0, 0]
  return scans.map((scan) => {
    const { linkId, visitor, bot } = scan
    if (visitor === null) return { ...scan, first: false, person: false }
    const { agents, people } = keysOf(dayOf(scan.at))
    const key = personOf(scan, visitor)
    // Further agents of an address fall together by device, system and browser.
    const first = isNew(agents, linkId, visitor, maxAgents) ?? isNew(agents, linkId, key, maxAgents + maxPeople)
    const person = !bot && (isNew(people, linkId, key, maxPeople) ?? false)
    return { ...scan, first: first ?? false, person, ...(!addsKeys && first === undefined && { untold: true }) }
  })
}

/** How many scans are untold. */
export function untoldOf(scans: readonly FoldedScan[]): number {
  return scans.reduce((sum, { untold }) => (untold === true ? sum + 1 : sum), 0)
}

/** Whether a key comes for the first time, and is there from now on; undefined when its address has `limit` others. */
function isNew(keys: DayKeys, linkId: number, key: number, limit: number): boolean | undefined {
  const found = keys.find(linkId, key)
  if (found !== undefined) return found === 'again'
  if (keys.count(linkId, key, limit) >= limit) return undefined
  keys.add(linkId, key)
  return true
}
