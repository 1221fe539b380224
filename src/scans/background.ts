import type { RemovalClock } from '../db/removal-clock.ts'
import type { Disk } from '../disk/open.ts'
import { isHeld as isStoreHeld } from '../db/unavailable.ts'
import { sumOf, type FoldResult } from './folding/fold.ts'
import { HELD } from './folding/fold-file.ts'
import { startFoldLoop, type FoldLoop } from './folding/fold-loop.ts'
import type { Journal } from './journal/journal.ts'
import type { HumanScanCounter } from './human-scans.ts'
import type { VisitorCounter } from './visitor-count.ts'
import type { Purger } from './purger.ts'
import type { RecorderLog } from './recorder-log.ts'
import type { Subscribers } from './subscribers.ts'
import type { Sweeper } from './sweeper.ts'
import type { UnfoldedLinks } from './unfolded-links.ts'
import type { WarehouseClient } from './warehouse-client.ts'

/** Links of one query. */
const PAGE = 1_000

export interface BackgroundOptions {
  /** Raw scans are removed after this time, in milliseconds; Infinity keeps them. */
  retention: number
  now: () => number
  /** The time by which scans are old. */
  removalTime: RemovalClock['time']
  links: OrphanLinks & {
    /** The newest link that was committed since the start. */
    newest: () => number | undefined
  }
}

interface BackgroundNeeds {
  journal: Journal
  warehouse: WarehouseClient
  purger: Purger
  sweeper: Sweeper
  humanScans: Pick<HumanScanCounter, 'startFold'>
  visitors: Pick<VisitorCounter, 'startFold'>
  unfolded: Pick<UnfoldedLinks, 'startFold'>
  subscribers: Subscribers
  log: RecorderLog
  disk: Pick<Disk, 'holdsFold'>
  onError: (error: unknown) => void
}

/** The fold; `stop` stops all background work. */
export interface Background extends FoldLoop {
  lost: () => number
  /** Raw scans that were removed for their age. */
  pruned: () => number
  /** Everything that was recorded until then is folded, in milliseconds since 1970; 0 before the first fold. */
  foldedUntil: () => number
  /** Folds what was journalled, and leaves the scans as they are until the returned function is called; the journal goes on. */
  hold: () => Promise<() => void>
}

/**
 * Starts the fold, the search for orphans and the removal of old scans.
 * @param lost scans that earlier runs have lost to damage
 */
export function startBackground(needs: BackgroundNeeds, options: BackgroundOptions, lost: number): Background {
  const { warehouse, purger, sweeper, subscribers, log, onError } = needs
  const { now, links } = options
  let lostEver = lost
  let foldedUntil = 0
  let isHeld = false
  const fold = createJournalFold(needs, links.newest)
  const loop = startFoldLoop(
    async () => {
      if (isHeld) return { moved: 0, onlyCounted: 0, changed: [], damaged: [], lost: lostEver, failed: [] }
      const began = now()
      const result = await purger.during((deletedLinks) => fold(began, deletedLinks))
      lostEver = result.lost
      if (result.failed.length === 0) foldedUntil = began
      return result
    },
    { onFold: subscribers.publish, onFaults: log.faultsFound, onError },
  )
  void loop
    .fold()
    .then(() => findOrphans(warehouse, links, { onDeleted: purger.purge, onUnknown: log.unknownLinks }))
    // Texts that an interrupted sweep has left.
    .then(sweeper.request)
    .catch(onError)
  const pruning = startPruning(options, needs, () => isHeld)
  return {
    ...loop,
    lost: () => lostEver,
    pruned: pruning.count,
    foldedUntil: () => foldedUntil,
    hold: () => holdAll(loop, sweeper, (held) => (isHeld = held)),
    stop() {
      loop.stop()
      pruning.stop()
    },
  }
}

/** Folds what was journalled, and has everything wait. @returns what lets it go on */
async function holdAll({ fold }: FoldLoop, sweeper: Sweeper, setHeld: (isHeld: boolean) => void): Promise<() => void> {
  await fold()
  setHeld(true)
  // One may have begun before.
  await fold()
  const goOn = await sweeper.hold()
  return () => {
    setHeld(false)
    goOn()
  }
}

/**
 * Folds the journal. What folds that failed have left is folded first, and until then the current file goes on: each request for
 * statistics folds, and would else leave a file, of which thousands keep the folds busy for minutes when they succeed again.
 */
function createJournalFold(needs: BackgroundNeeds, newest: () => number | undefined) {
  let isBehind = false
  return async (now: number, deletedLinks: number[]): Promise<FoldResult> => {
    const left = isBehind && !needs.disk.holdsFold() ? await foldLeft(needs, now, deletedLinks, newest()) : undefined
    isBehind = true
    if (left?.isHeld === true) return left
    const result = await foldJournal(needs, now, deletedLinks, newest())
    isBehind = result.isHeld === true
    const sum = left === undefined ? result : sumOf(left, result)
    if (sum.adopted !== undefined) needs.log.adopted(sum.adopted)
    return sum
  }
}

/** Folds the files that are closed. The keys of a day wait for its scans in the current one. */
async function foldLeft(
  { journal, warehouse }: BackgroundNeeds,
  now: number,
  deletedLinks: number[],
  newest: number | undefined,
): Promise<FoldResult> {
  const { closed, growing } = journal.files()
  const until = Math.min(journal.oldest() ?? now, now)
  return (await warehouse.call('fold', closed, until, { growing, deletedLinks, newest, count: [] })).result
}

/** Folds what was journalled, and reads the requested numbers of scans before anything further is folded. */
async function foldJournal(
  { journal, warehouse, humanScans, visitors, unfolded, disk }: BackgroundNeeds,
  now: number,
  deletedLinks: number[],
  newest: number | undefined,
): Promise<FoldResult> {
  if (disk.holdsFold()) return foldNothing({ journal, warehouse }, now)
  const { closed, growing } = journal.rotate()
  const [ofScans, ofVisitors] = [humanScans.startFold(), visitors.startFold()]
  const finishUnfolded = unfolded.startFold()
  const linkIds = [...new Set([...ofScans.linkIds, ...ofVisitors.linkIds])]
  const { result, counts } = await warehouse.call('fold', closed, now, {
    growing,
    deletedLinks,
    newest,
    count: linkIds,
  })
  const byLink = new Map(linkIds.map((linkId, at) => [linkId, counts[at]]))
  ofScans.finish((linkId) => byLink.get(linkId)?.scans ?? 0)
  ofVisitors.finish((linkId) => byLink.get(linkId)?.visitors ?? 0)
  if (result.failed.length === 0) finishUnfolded()
  return result
}

/**
 * Where a fold has no room, scans wait in the journal with the numbers that a fold would read; the keys of a
 * day that is over are destroyed all the same.
 */
async function foldNothing(
  { journal, warehouse }: Pick<BackgroundNeeds, 'journal' | 'warehouse'>,
  now: number,
): Promise<FoldResult> {
  const nothing = { growing: undefined, deletedLinks: [], newest: undefined, count: [] }
  const { result } = await warehouse.call('fold', [], now, nothing)
  if (journal.oldest() !== undefined) result.failed.push({ file: 'journal', reason: HELD })
  return result
}

const PRUNE_MS = 3_600_000

/** Removes old scans now and then each hour. */
function startPruning(
  { retention, removalTime }: BackgroundOptions,
  { warehouse, sweeper, log, onError }: BackgroundNeeds,
  isHeld: () => boolean,
): { count: () => number; stop: () => void } {
  let count = 0
  if (retention === Number.POSITIVE_INFINITY) return { count: () => count, stop: () => {} }
  const prune = async () => {
    const before = (await removalTime()) - retention
    if (isHeld()) return
    const removed = await warehouse.call('prune', before)
    count += removed
    if (removed > 0) log.pruned(removed, before)
    sweeper.request()
  }
  const run = () => void prune().catch((error: unknown) => isStoreHeld(error) || onError(error))
  run()
  const timer = setInterval(run, PRUNE_MS)
  return { count: () => count, stop: () => clearInterval(timer) }
}

interface OrphanLinks {
  /** Which of these links exist. */
  existing: (linkIds: number[]) => Promise<Set<number>>
  /** Which of these exist or were deleted. */
  known: (linkIds: number[]) => Promise<Set<number>>
}

interface OrphanListeners {
  /** Called with each deleted link. */
  onDeleted: (linkId: number) => void
  /** Called with the number of unknown links, if there are any. */
  onUnknown: (count: number) => void
}

/**
 * Checks all links that have scans. An older copy of the scans brings back those of deleted links, which are purged again;
 * scans of unknown links stay, because another copy of the links may have them.
 */
async function findOrphans(
  warehouse: Pick<WarehouseClient, 'call'>,
  { existing, known }: OrphanLinks,
  { onDeleted, onUnknown }: OrphanListeners,
): Promise<void> {
  let unknown = 0
  for (let last = 0; ;) {
    const ids = await warehouse.call('linkIdsAfter', last, PAGE)
    const found = ids.length > 0 ? await existing(ids) : new Set()
    const missing = ids.filter((id) => !found.has(id))
    const deleted = await known(missing)
    for (const id of deleted) onDeleted(id)
    unknown += missing.length - deleted.size
    if (ids.length < PAGE) break
    last = ids.at(-1) ?? 0
  }
  if (unknown > 0) onUnknown(unknown)
}
