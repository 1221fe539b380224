import { statfsSync, type StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Urgency } from '../db/database.ts'
import { isDiskFull } from '../db/sqlite/errors.ts'
import type { Metric } from '../http/metric.ts'
import { diskMetrics } from './metrics.ts'
import { openReserve } from './reserve.ts'
import { createSharedDisk, openSharedDisk, type SharedDisk } from './shared.ts'

/** How often the free space is asked for, in the background. */
const CHECK_MS = 5000
/** How long after the start the reserve is written: a service that ends soon does not need it. */
const RESERVE_AFTER_MS = 30_000
/** Far more than a deletion, a pause, a block and the deletion of scans take together (docs/adr/0069). */
const RESERVE_BYTES = 32 * 2 ** 20
/** Of a small disk, the reserve is this part of it at most. */
const RESERVE_SHARE = 1 / 16
/** The disk is full when less is free than this part of the reserve, or this many bytes. */
const [FULL_SHARE, FULL_BYTES] = [1 / 8, 2 ** 20]
/** What an urgent change leaves of the reserve to those that are more urgent. */
const LEFT: Readonly<Record<Urgency, number>> = { pause: 1 / 2, removal: 1 / 4, operator: 0 }
/** The state of a low disk ends once so much more is free than where it began, so that it does not come and go. */
const MORE = 1.1

const GIB = 2 ** 30
const FLOOR_SHARE = 0.05

/** Below which free space raw scans only count: a number of bytes, or by the size of the disk. */
export type DiskFloor = number | 'auto'

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

/** What a test replaces. */
export interface DiskOverrides {
  checkMs?: number
  reserveAfterMs?: number
  /** 0 for none. */
  reserveBytes?: number
}

/** What the disk needs of the rest of the program. */
export interface DiskNeeds extends DiskOverrides {
  dataDir: string
  floor: DiskFloor
  /** Whether the folder has the store of links. */
  hasStore: boolean
  monotonic: () => number
  log: Record<'warn' | 'error', (details: object, text: string) => void>
}

/** Bytes of a file system. */
export interface Space {
  free: number
  size: number
}

/** The floor of a disk: a twentieth of it, and a gibibyte at most, so that a small disk is not below it when it is empty. */
export function floorOf(floor: DiskFloor, { size }: Pick<Space, 'size'>): number {
  return floor === 'auto' ? Math.min(GIB, Math.floor(size * FLOOR_SHARE)) : floor
}

const LOW =
  'the disk of DATA_DIR is nearly full: visits count as before, but are no longer stored one by one, until there is room'
const LOW_NO_MORE = 'the disk of DATA_DIR has room again: visits are stored one by one'
const LOW_DETAIL = 'the disk of DATA_DIR is nearly full: visits count, but are not stored one by one'
const FULL =
  'the disk of DATA_DIR is full: its reserve is released, with which links can be paused, deleted and blocked; all else is refused, and visits are not counted'
const FULL_NO_MORE = 'the disk of DATA_DIR has room again: its reserve is restored'
const FULL_FAULT = 'the disk of DATA_DIR is full: links can be paused, deleted and blocked, and nothing else'

/** Watches the free space. Nothing waits for a check, and only one is under way: a disk that hangs costs one thread of the pool. */
export function openDisk(needs: DiskNeeds): Disk {
  const { dataDir, floor, log, monotonic, checkMs = CHECK_MS } = needs
  const shared = createSharedDisk()
  const state = openSharedDisk(shared)
  const full = createFullState(needs)
  let space: Space = { free: Number.POSITIVE_INFINITY, size: 0 }
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  function judge(stats: StatsFs): void {
    space = spaceOf(stats)
    const least = floorOf(floor, space)
    const isLow = space.free + state.reusable() < (state.isLow() ? least * MORE : least)
    if (isLow !== state.isLow()) {
      state.setLow(isLow)
      const details = { free_bytes: space.free, reusable_bytes: state.reusable(), floor_bytes: least }
      log.warn(details, isLow ? LOW : LOW_NO_MORE)
    }
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
      if (!full.is()) return false
      // What it takes shows at the next one.
      void check()
      return space.free < LEFT[urgency] * full.wanted(space)
    },
    release,
    note: (error) => void (isDiskFull(error) && check()),
    start() {
      full.start(monotonic())
      judge(statfsSync(dataDir))
      timer = setInterval(() => void check(), checkMs).unref()
    },
    fault: () => (full.is() ? FULL_FAULT : undefined),
    detail: () => (state.isLow() ? LOW_DETAIL : undefined),
    metrics: diskMetrics({ space: () => space, floor, isLow: state.isLow, isFull: full.is, reserved: full.reserved }),
    close: () => clearInterval(timer),
  }
}

function spaceOf({ bavail, blocks, bsize }: StatsFs): Space {
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Whether the disk is full, and the reserve that is released meanwhile. */
function createFullState({
  dataDir,
  hasStore,
  log,
  monotonic,
  reserveBytes = RESERVE_BYTES,
  reserveAfterMs = RESERVE_AFTER_MS,
}: DiskNeeds) {
  const reserve = openReserve(join(dataDir, 'reserve'))
  let isFull = false
  let startedAt = 0
  const wanted = ({ size }: Space) => Math.min(reserveBytes, Math.floor(size * RESERVE_SHARE))
  const leastOf = (space: Space) => Math.max(FULL_BYTES, wanted(space) * FULL_SHARE)

  function begin(): void {
    if (!hasStore) return
    try {
      reserve.release()
    } catch (error) {
      log.error({ err: error }, 'the reserve of DATA_DIR cannot be released')
    }
    if (!isFull) log.error({}, FULL)
    isFull = true
  }

  return {
    is: () => isFull,
    wanted,
    begin,
    reserved: reserve.size,
    start(at: number): void {
      startedAt = at
      // A folder whose store was moved away.
      if (!hasStore) reserve.release()
    },
    isDue: (space: Space) => !isFull && space.free < leastOf(space),
    /** Ends the state, and takes the reserve again, when there is room for twice as much. */
    async restore(space: Space): Promise<void> {
      const bytes = wanted(space)
      const isDue = isFull || monotonic() - startedAt >= reserveAfterMs
      if (!hasStore || !isDue || space.free < 2 * bytes + 2 * leastOf(space)) return
      if (reserve.size() < bytes) await reserve.fill(bytes)
      if (isFull) log.warn({ free_bytes: space.free }, FULL_NO_MORE)
      isFull = false
    },
  }
}
