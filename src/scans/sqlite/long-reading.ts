import { DatabaseSync } from 'node:sqlite'
import { createStatisticsCalls, type StatisticsCalls } from '../statistics/calls.ts'
import type { BlockCache } from '../statistics/filtered/block-cache.ts'
import type { SetCache } from '../statistics/link-sets/set-cache.ts'
import { GaveWay } from '../gave-way.ts'
import { openDictionary } from './dictionary.ts'
import { inSteps, openRowQueries } from './row-queries.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** Statistics that take long, between which other calls and the fold go on. One call at a time. */
export interface LongReading extends Pick<StatisticsCalls, 'stats' | 'statsOfMany' | 'statsOfSet' | 'abandon'> {
  close: () => void
}

interface Opened {
  db: DatabaseSync
  reading: StatisticsCalls
}

/** A call that runs. */
interface Asked {
  question: number | undefined
  ending: AbortController
}

/**
 * Reads on a connection of its own, which is opened by the first call: its transaction sees the store as it was when it began,
 * whatever is folded meanwhile. The write-ahead log grows meanwhile, and has it end once it is long.
 * @param file of a warehouse that is open, and has the log
 * @param blocks keeps raw scans that were read for a question with filters
 * @param sets keeps the sums of sets of links
 */
export function createLongReading(
  file: string,
  log: Pick<WriteAheadLog, 'reading'>,
  blocks?: BlockCache,
  sets?: SetCache,
): LongReading {
  let opened: Opened | undefined
  let asked: Asked | undefined
  // Whatever is read, it pauses: so each question can be ended, also one without filters.
  const pause = async () => {
    await inSteps.pause()
    asked?.ending.signal.throwIfAborted()
  }

  function end({ question, ending }: Asked, reason?: GaveWay): void {
    ending.abort(reason)
    if (question !== undefined) void opened?.reading.abandon(question)
  }

  async function inOneState<T>(
    question: number | undefined,
    read: (reading: StatisticsCalls) => Promise<T>,
  ): Promise<T> {
    const { db, reading } = (opened ??= open(file, pause, blocks, sets))
    const own = (asked = { question, ending: new AbortController() })
    const giveWay = () => end(own, new GaveWay('the statistics took too long beside what was to be folded'))
    return log.reading(() => inTransaction(db, () => read(reading)), giveWay)
  }

  return {
    stats: (...args) => inOneState(args[3], ({ stats }) => stats(...args)),
    statsOfMany: (...args) => inOneState(args[3], ({ statsOfMany }) => statsOfMany(...args)),
    statsOfSet: (...args) => inOneState(args[3], ({ statsOfSet }) => statsOfSet(...args)),
    async abandon(question) {
      if (asked?.question === question) end(asked)
    },
    close: () => opened?.db.close(),
  }
}

function open(file: string, pause: () => Promise<void>, blocks?: BlockCache, sets?: SetCache): Opened {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = openRowQueries({ db, dictionary: openDictionary(db) }, { ...inSteps, pause })
  return { db, reading: createStatisticsCalls(rows, blocks, sets) }
}

async function inTransaction<T>(db: DatabaseSync, read: () => Promise<T>): Promise<T> {
  db.exec('begin')
  try {
    return await read()
  } finally {
    db.exec('commit')
  }
}
