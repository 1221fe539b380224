import type { RawReading } from '../filtered/filtered-rows.ts'
import { readStats, type Stats } from '../stats.ts'
import type { Windows } from '../windows.ts'
import { readFilteredSet } from './filtered-set.ts'
import { TooMuch, type SetReading } from './refresh.ts'
import type { LinkSet, SetCache } from './set-cache.ts'
import { readSet, type SetRows } from './set-rows.ts'

/** The statistics of a set of links. */
export interface SetStats {
  stats: Stats
  /** The scans of each link in the window, and the first ones of a day: two numbers for each, in the order of the links. */
  links: Float64Array
}

/** The statistics, or how many scans filters would have to count one by one, when they are too many. */
export type SetAnswer = SetStats | { tooMany: number }

/** How the statistics of a set are read. */
export interface SetStatsReading extends RawReading {
  sets: SetCache
  /** How many rows may be read; as many as there are, where others go on meanwhile. */
  most: number
}

/** The set has no id of a link. */
const NO_LINK = 0

/** Reads the statistics of a set. @returns undefined when more rows would have to be read than may be */
export async function readStatsOfSet(
  { sets, most, ...raw }: SetStatsReading,
  set: LinkSet,
  windows: Windows,
): Promise<SetAnswer | undefined> {
  const reading = { ...raw, ...createSpending(raw, most) }
  const { filters } = windows.query
  const answer = async (read: SetRows) => ({ stats: await readStats(read.rows, NO_LINK, windows), links: read.links })
  if (filters === undefined) {
    const work = async (state: Parameters<typeof readSet>[1]) => answer(await readSet(reading, state, set.ids, windows))
    return sets.use(set, windows.now, most === Number.POSITIVE_INFINITY, work)
  }
  try {
    const read = await readFilteredSet(reading, set.ids, windows, filters)
    return typeof read === 'number' ? { tooMany: read } : await answer(read)
  } catch (error) {
    if (error instanceof TooMuch) return undefined
    throw error
  }
}

function createSpending({ rows, signal }: RawReading, most: number): Pick<SetReading, 'spend' | 'pause'> {
  let left = most
  return {
    spend(count) {
      left -= count
      if (left < 0) throw new TooMuch()
    },
    async pause() {
      await rows.pause()
      signal?.throwIfAborted()
    },
  }
}
