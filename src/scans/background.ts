import type { FoldResult } from './folding/fold.ts'
import { startFoldLoop, type FoldLoop } from './folding/fold-loop.ts'
import type { Journal } from './journal/journal.ts'
import type { PeopleCounter } from './people.ts'
import { findOrphans, type OrphanLinks } from './orphans.ts'
import type { Purger } from './purger.ts'
import type { RecorderLog } from './recorder-log.ts'
import type { Subscribers } from './subscribers.ts'
import type { Sweeper } from './sweeper.ts'
import type { WarehouseClient } from './warehouse-client.ts'

export interface BackgroundOptions {
  /** Raw scans are removed after this time, in milliseconds; Infinity keeps them. */
  retention: number
  now: () => number
  links: OrphanLinks & {
    /** The newest link that was committed since the start. */
    newest: () => number | undefined
  }
}

interface Parts {
  journal: Journal
  warehouse: WarehouseClient
  purger: Purger
  sweeper: Sweeper
  people: Pick<PeopleCounter, 'startFold'>
  subscribers: Subscribers
  log: RecorderLog
  onError: (error: unknown) => void
}

/** The fold; `stop` stops all background work. */
export interface Background extends FoldLoop {
  lost: () => number
  /** Everything that was recorded until then is folded, in milliseconds since 1970; 0 before the first fold. */
  foldedUntil: () => number
  /** Folds what was journalled, then changes nothing until the returned function is called. */
  hold: () => Promise<() => void>
}

/**
 * Starts the fold, the search for orphans and the removal of old scans.
 * @param lost scans that earlier runs have lost to damage
 */
export function startBackground(parts: Parts, options: BackgroundOptions, lost: number): Background {
  const { warehouse, purger, sweeper, subscribers, log, onError } = parts
  const { now, links } = options
  let lostEver = lost
  let foldedUntil = 0
  let isHeld = false
  const loop = startFoldLoop(
    async () => {
      if (isHeld) return { moved: 0, changed: [], damaged: [], lost: lostEver, failed: [] }
      const began = now()
      const result = await purger.during((deletedLinks) => foldJournal(parts, began, deletedLinks, links.newest()))
      lostEver = result.lost
      if (result.failed.length === 0) foldedUntil = began
      return result
    },
    { onFold: subscribers.publish, onFaults: log.faultsFound, onError },
  )
  void loop
    .fold()
    .then(() => findOrphans(warehouse, links, { onDeleted: purger.purge, onUnknown: log.unknownLinks }))
    // Those that an interrupted sweep has left.
    .then(sweeper.request)
    .catch(onError)
  async function prune(before: number): Promise<void> {
    if (isHeld) return
    await warehouse.call('prune', before)
    sweeper.request()
  }
  const pruning = startPruning(options, prune, onError)
  return {
    ...loop,
    lost: () => lostEver,
    foldedUntil: () => foldedUntil,
    async hold() {
      await loop.fold()
      isHeld = true
      // One may have begun before.
      await loop.fold()
      const goOn = await sweeper.hold()
      return () => {
        isHeld = false
        goOn()
      }
    },
    stop() {
      loop.stop()
      clearInterval(pruning)
    },
  }
}

/** Folds what was journalled, and reads the requested numbers of scans before anything further is folded. */
async function foldJournal(
  { journal, warehouse, people, log }: Parts,
  now: number,
  deletedLinks: number[],
  newest: number | undefined,
): Promise<FoldResult> {
  const journals = journal.rotate()
  const { linkIds, finish } = people.startFold()
  const { result, counts } = await warehouse.call('fold', journals, now, { deletedLinks, newest, count: linkIds })
  finish(counts)
  if (result.adopted !== undefined) log.adopted(result.adopted)
  return result
}

const PRUNE_MS = 3_600_000

function startPruning(
  { retention, now }: BackgroundOptions,
  prune: (before: number) => Promise<unknown>,
  onError: (error: unknown) => void,
): NodeJS.Timeout | undefined {
  if (retention === Number.POSITIVE_INFINITY) return undefined
  const run = () => void prune(now() - retention).catch(onError)
  run()
  return setInterval(run, PRUNE_MS)
}
