import { statfsSync, type StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from '../db/sqlite/errors.ts'
import type { Metric } from '../http/metric.ts'
import { createLowState, type DiskFloor, type Space } from './low.ts'
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

/** The free space of the disk of DATA_DIR. */
export interface Disk {
  /** Tells the thread of the warehouse whether raw scans only count. */
  shared: SharedDisk
  /**
   * Whether the disk is full: its reserve is released, and is only for what makes room or must be possible. Never with links in
   * PostgreSQL, which the folder does not hold.
   */
  isFull: () => boolean
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

const FULL =
  'the disk of DATA_DIR is full: its reserve is released, with which links can be paused, deleted and blocked; all else is refused, and visits are not counted'
const FULL_NO_MORE = 'the disk of DATA_DIR has room again: its reserve is restored'
const FULL_FAULT = 'the disk of DATA_DIR is full: links can be paused, deleted and blocked, and nothing else'

/** Watches the free space. Nothing waits for a check, and only one is under way: a disk that hangs costs one thread of the pool. */
export function openDisk(needs: DiskNeeds): Disk {
  const { dataDir, floor, log, monotonic, checkMs = CHECK_MS } = needs
  const shared = createSharedDisk()
  const state = openSharedDisk(shared)
  const low = createLowState({ floor, state, log })
  const full = createFullState(needs)
  let space: Space = { free: Number.POSITIVE_INFINITY, size: 0 }
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  function judge(stats: StatsFs): void {
    space = spaceOf(stats)
    for (const each of [low, full]) each.judge(space)
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

  return {
    shared,
    isFull: full.is,
    release: full.begin,
    note: (error) => void (isDiskFull(error) && check()),
    start() {
      full.start(monotonic())
      judge(statfsSync(dataDir))
      timer = setInterval(() => void check(), checkMs).unref()
    },
    fault: () => (full.is() ? FULL_FAULT : undefined),
    detail: () => low.detail(),
    metrics: diskMetrics({ space: () => space, floor, ...state, isFull: full.is, reserved: full.reserved }),
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
    begin,
    reserved: reserve.size,
    start(at: number): void {
      startedAt = at
      // A folder whose store was moved away.
      if (!hasStore) reserve.release()
    },
    judge(space: Space): void {
      if (!isFull && space.free < leastOf(space)) begin()
    },
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
