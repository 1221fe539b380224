import { DatabaseSync } from 'node:sqlite'
import { createStatisticsCalls, type StatisticsCalls } from '../statistics/calls.ts'
import type { BlockCache } from '../statistics/filtered/block-cache.ts'
import type { SetCache } from '../statistics/link-sets/set-cache.ts'
import { openDictionary } from './dictionary.ts'
import { inSteps, openRowQueries } from './row-queries.ts'

/** Statistics that take long, between which other calls and the fold go on. One call at a time. */
export interface LongReading extends Pick<StatisticsCalls, 'stats' | 'statsOfMany' | 'statsOfSet' | 'abandon'> {
  close: () => void
}

/**
 * Reads on a connection of its own, which is opened by the first call: its transaction sees the store as it was when it began,
 * whatever is folded meanwhile. The write-ahead log grows until it ends.
 * @param file of a warehouse that is open
 * @param blocks keeps raw scans that were read for a question with filters
 * @param sets keeps the sums of sets of links
 */
export function createLongReading(file: string, blocks?: BlockCache, sets?: SetCache): LongReading {
  let opened: { db: DatabaseSync; reading: StatisticsCalls } | undefined

  function open() {
    const db = new DatabaseSync(file, { readOnly: true })
    return {
      db,
      reading: createStatisticsCalls(openRowQueries({ db, dictionary: openDictionary(db) }, inSteps), blocks, sets),
    }
  }

  async function inOneState<T>(read: (reading: StatisticsCalls) => Promise<T>): Promise<T> {
    const { db, reading } = (opened ??= open())
    db.exec('begin')
    try {
      return await read(reading)
    } finally {
      db.exec('commit')
    }
  }

  return {
    stats: (...args) => inOneState(({ stats }) => stats(...args)),
    statsOfMany: (...args) => inOneState(({ statsOfMany }) => statsOfMany(...args)),
    statsOfSet: (...args) => inOneState(({ statsOfSet }) => statsOfSet(...args)),
    abandon: async (question) => opened?.reading.abandon(question),
    close: () => opened?.db.close(),
  }
}
