import { statfsSync, type StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Urgency } from '../db/database.ts'
import { isDiskFull } from '../db/sqlite/errors.ts'
import type { Metric } from '../http/metric.ts'
import { floorOf, type DiskFloor, type Space } from './floor.ts'
import { createFullState, type FullNeeds } from './full-state.ts'
import { diskMetrics } from './metrics.ts'
import { createSharedDisk, openSharedDisk, type SharedDisk } from './shared.ts'

/** How often the free space is asked for, in the background. */
const CHECK_MS = 5000
/** The state of a low disk ends once so much more is free than where it began, so that it does not come and go. */
const MORE = 1.1

/** The free space of the disk of DATA_DIR. */
export interface Disk {
  /** Tells the thread of the warehouse whether raw scans only count. */
  shared: SharedDisk
  /**
   * Whether the disk is full: its reserve is released, and is only for what makes room or must be possible. Never with links in
   * PostgreSQL, which the folder does not hold.
   */
  isFull: () => boolean
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

const LOW =
  'the disk of DATA_DIR is nearly full: visits count as before, but are no longer stored one by one, until there is room'
const LOW_NO_MORE = 'the disk of DATA_DIR has room again: visits are stored one by one'
const LOW_DETAIL = 'the disk of DATA_DIR is nearly full: visits count, but are not stored one by one'
/** Watches the free space. Nothing waits for a check, and only one is under way: a disk that hangs costs one thread of the pool. */
export function openDisk(needs: DiskNeeds): Disk {
  const { dataDir, floor, monotonic, checkMs = CHECK_MS } = needs
  const shared = createSharedDisk()
  const state = openSharedDisk(shared)
  const full = createFullState(needs)
  let space: Space = { free: Number.POSITIVE_INFINITY, size: 0 }
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  function judge(stats: StatsFs): void {
    space = spaceOf(stats)
    judgeLow(space, needs, state)
    if (full.isDue(space)) release()
  }

  async function check(): Promise<void> {
    if (isChecking) return
    isChecking = true
    try {
      judge(await statfs(dataDir))
      await full.restore(space)
    } catch {
      // A folder that is away is reported by who reads and writes it; room that was there is gone again.
    } finally {
      isChecking = false
    }
  }

  function release(): void {
    full.begin()
    try {
      space = spaceOf(statfsSync(dataDir))
    } catch {
      // As in a check.
    }
  }

  return {
    shared,
    isFull: full.is,
    isSpent(urgency) {
      // What it takes shows at the next one.
      if (full.is()) void check()
      return full.isSpent(urgency, space)
    },
    release,
    note: (error) => void (isDiskFull(error) && check()),
    start() {
      full.start(monotonic())
      judge(statfsSync(dataDir))
      timer = setInterval(() => void check(), checkMs).unref()
    },
    fault: full.fault,
    detail: () => (state.isLow() ? LOW_DETAIL : undefined),
    metrics: diskMetrics({ space: () => space, floor, isLow: state.isLow, isFull: full.is, reserved: full.reserved }),
    close: () => clearInterval(timer),
  }
}

/** Begins or ends the state in which raw scans only count. */
function judgeLow(
  space: Space,
  { floor, log }: Pick<DiskNeeds, 'floor' | 'log'>,
  state: ReturnType<typeof openSharedDisk>,
): void {
  const least = floorOf(floor, space)
  const isLow = space.free + state.reusable() < (state.isLow() ? least * MORE : least)
  if (isLow === state.isLow()) return
  state.setLow(isLow)
  const details = { free_bytes: space.free, reusable_bytes: state.reusable(), floor_bytes: least }
  log.warn(details, isLow ? LOW : LOW_NO_MORE)
}

function spaceOf({ bavail, blocks, bsize }: StatsFs): Space {
  return { free: bavail * bsize, size: blocks * bsize }
}
