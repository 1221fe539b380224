import { statfs } from 'node:fs/promises'
import type { Urgency } from '../db/database.ts'
import { isDiskFull } from '../db/sqlite/errors.ts'
import type { Metric } from '../http/metric.ts'
import { shareRun } from '../lib/share-runs.ts'
import { createFullState, type FullNeeds } from './full-state.ts'
import { createLowState, type DiskFloor, type Space, floorOf } from './low.ts'
import { createDiskMemory, openDiskMemory, type DiskMemory } from './memory.ts'
import { readSpace, spaceOf } from './space.ts'

/** What is said where scans wait in the journal. */
const heldDetail = (isCritical: boolean) =>
  isCritical
    ? 'the disk of DATA_DIR is nearly full: visits are not counted, and those that were recorded before wait for room'
    : 'the disk of DATA_DIR is nearly full: visits are recorded, and wait for room to be counted'

/** How often the free space is asked for, in the background. */
const CHECK_MS = 5000

/** The free space of the disk of DATA_DIR. */
export interface Disk {
  /** Tells the thread of the warehouse whether raw scans only count. */
  memory: DiskMemory
  /**
   * Whether the disk is full: its reserve is released, and is only for what makes room or must be possible. Never with links in
   * PostgreSQL, which the folder does not hold.
   */
  isFull: () => boolean
  /** Whether scans wait in the journal, because a fold could take what is left of a disk that is full, or nearly. */
  holdsFold: () => boolean
  /** Whether less than the floor is free. Never with links in PostgreSQL. */
  isLow: () => boolean
  /** Whether so little is free that visits are answered and not recorded, which would fill it. A full disk takes none anyway. */
  isCritical: () => boolean
  /** Whether of the reserve of a full disk only that part is left which is for what is more urgent. */
  isSpent: (urgency: Urgency) => boolean
  /** Releases the reserve: to be called when the disk refused a write that must be possible. */
  release: () => void
  /** Has the free space checked now if an error means that the disk is full. */
  note: (error: unknown) => void
  /** Begins to watch: to be called once the folder is this process's own, and before its store is opened. */
  start: () => void
  /** Why the service is not ready, if the disk is full. */
  fault: () => string | undefined
  /** What `/readyz` says of it, although the service is ready; undefined when there is nothing to say. */
  detail: () => string | undefined
  metrics: Metric[]
  close: () => void
}

/** What the disk needs of the rest of the program. */
export interface DiskNeeds extends FullNeeds {
  floor: DiskFloor
  /** Replaces the usual time between two checks, in milliseconds. */
  checkMs?: number
}

/** What a test replaces. */
export type DiskOverrides = Pick<DiskNeeds, 'checkMs' | 'reserveAfterMs' | 'reserveBytes'>

/** Watches the free space. Nothing waits for a check, and only one is under way: a disk that hangs costs one thread of the pool. */
export function openDisk(needs: DiskNeeds): Disk {
  const { floor, monotonic, hasStore, checkMs = CHECK_MS } = needs
  const memory = createDiskMemory()
  const state = openDiskMemory(memory)
  const { low, full, space, judge, check, release } = createChecks(needs, state)
  const holdsFold = () => space.last().free < state.foldNeeds()
  let timer: NodeJS.Timeout | undefined

  return {
    memory,
    isFull: full.is,
    holdsFold,
    isLow: () => hasStore && state.isLow(),
    isCritical: () => low.isCritical() && !full.is(),
    // What one takes shows at the next one.
    isSpent: (urgency) => full.isSpent(urgency, space.last(), check),
    release,
    note: (error) => void (isDiskFull(error) && check()),
    start() {
      full.start(monotonic())
      space.readAtOnce()
      judge()
      check()
      timer = setInterval(check, checkMs).unref()
    },
    fault: full.fault,
    detail: () => (holdsFold() ? heldDetail(low.isCritical()) : low.detail()),
    metrics: diskMetrics({ ...state, ...low, space: space.last, floor, isFull: full.is, reserved: full.reserved }),
    close() {
      clearInterval(timer)
      full.stop()
    },
  }
}

/** What is found of the free space, and what follows. */
function createChecks(needs: DiskNeeds, state: ReturnType<typeof openDiskMemory>) {
  const { dataDir, floor, log } = needs
  const [low, space] = [createLowState({ floor, state, log }), createSpace(dataDir)]
  const full = createFullState(needs)
  const tellFold = () => state.setFoldNeeds(full.foldNeeds(space.last()))

  function release(): void {
    full.begin()
    space.readAtOnce()
    tellFold()
  }

  function judge(): void {
    low.judge(space.last())
    if (full.isDue(space.last())) release()
    tellFold()
  }

  // A folder that is away is reported by who reads and writes it; room that was there may be gone again.
  const checkOnce = shareRun(async () => {
    await space.read()
    judge()
    await full.restore(space.last())
    tellFold()
  })
  return { low, full, space, judge, release, check: () => void checkOnce().catch(() => {}) }
}

/** The space of the disk of a folder, as it was read last. */
function createSpace(folder: string) {
  let last: Space = { free: Number.POSITIVE_INFINITY, size: 0 }
  let reads = 0
  return {
    last: () => last,
    /** Reads it on another thread; the result is dropped when it was read at once meanwhile, after room was made. */
    async read(): Promise<void> {
      const before = reads
      const stats = await statfs(folder)
      if (reads === before) last = spaceOf(stats)
    },
    /** It stays as it was while the folder is away. */
    readAtOnce(): void {
      reads++
      try {
        last = readSpace(folder)
      } catch {
        // Who reads and writes the folder reports it.
      }
    },
  }
}

interface DiskState {
  space: () => Space
  floor: DiskFloor
  isLow: () => boolean
  isScarce: () => boolean
  isCritical: () => boolean
  untold: () => number
  isFull: () => boolean
  reserved: () => number
}

function diskMetrics(needs: DiskState): Metric[] {
  const { space, floor, isLow, isFull, reserved } = needs
  return [
    {
      name: 'quirl_disk_free_bytes',
      help: 'What is free on the disk of DATA_DIR, a few seconds ago',
      type: 'gauge',
      read: () => space().free,
    },
    {
      name: 'quirl_disk_floor_bytes',
      help: 'Below which free space visits only count (DISK_FLOOR)',
      type: 'gauge',
      read: () => floorOf(floor, space()),
    },
    {
      name: 'quirl_disk_low',
      help: '1 while visits count but are not stored one by one, because less than that is free',
      type: 'gauge',
      read: () => Number(isLow()),
    },
    ...scarceMetrics(needs),
    {
      name: 'quirl_disk_reserve_bytes',
      help: 'What the reserve holds for when the disk is full; 0 while it is released, and with PostgreSQL',
      type: 'gauge',
      read: reserved,
    },
    {
      name: 'quirl_disk_full',
      help: '1 while the disk is full: links can be paused, deleted and blocked, and nothing else',
      type: 'gauge',
      read: () => Number(isFull()),
    },
  ]
}

function scarceMetrics({
  isScarce,
  isCritical,
  untold,
}: Pick<DiskState, 'isScarce' | 'isCritical' | 'untold'>): Metric[] {
  return [
    {
      name: 'quirl_disk_scarce',
      help: '1 while new visitors are not counted either, because less than half of that is free',
      type: 'gauge',
      read: () => Number(isScarce()),
    },
    {
      name: 'quirl_scans_untold_total',
      help: 'Visits of which it is not known whether their visitors were new that day, for that reason, since the start',
      type: 'counter',
      read: untold,
    },
    {
      name: 'quirl_disk_critical',
      help: '1 while visits are answered and not counted, because less than a quarter of that is free',
      type: 'gauge',
      read: () => Number(isCritical()),
    },
  ]
}
