import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Metric } from '../http/metric.ts'
import { createSharedDisk, openSharedDisk, type SharedDisk } from './shared.ts'

/** How often the free space is asked for, in the background. */
const CHECK_MS = 5000
/** The state ends once so much more is free than where it began, so that it does not come and go. */
const MORE = 1.1

const GIB = 2 ** 30
const SHARE = 0.05

/** Below which free space raw scans only count: a number of bytes, or by the size of the disk. */
export type DiskFloor = number | 'auto'

/** The free space of the disk of DATA_DIR. */
export interface Disk {
  /** Tells the thread of the warehouse whether raw scans only count. */
  shared: SharedDisk
  /** What `/readyz` says of it, although the service is ready; undefined when there is nothing to say. */
  detail: () => string | undefined
  metrics: Metric[]
  close: () => void
}

/** What the disk needs of the rest of the program. */
export interface DiskNeeds {
  dataDir: string
  floor: DiskFloor
  log: Record<'warn', (details: object, text: string) => void>
  /** Replaces the usual time between two checks, in milliseconds. */
  checkMs?: number | undefined
}

/** Bytes of a file system. */
interface Space {
  free: number
  size: number
}

/** The floor of a disk: a twentieth of it, and a gibibyte at most, so that a small disk is not below it when it is empty. */
export function floorOf(floor: DiskFloor, size: number): number {
  return floor === 'auto' ? Math.min(GIB, Math.floor(size * SHARE)) : floor
}

/** Watches the free space. Nothing waits for a check, and only one is under way: a disk that hangs costs one thread of the pool. */
export function openDisk({ dataDir, floor, log, checkMs = CHECK_MS }: DiskNeeds): Disk {
  const shared = createSharedDisk()
  const state = openSharedDisk(shared)
  let space = spaceOf(statfsSync(dataDir))
  let isChecking = false

  function judge(): void {
    const least = floorOf(floor, space.size)
    const free = space.free + state.reusable()
    const isLow = free < (state.isLow() ? least * MORE : least)
    if (isLow === state.isLow()) return
    state.setLow(isLow)
    log.warn({ free_bytes: space.free, reusable_bytes: state.reusable(), floor_bytes: least }, isLow ? BEGIN : END)
  }

  async function check(): Promise<void> {
    if (isChecking) return
    isChecking = true
    try {
      space = spaceOf(await statfs(dataDir))
      judge()
    } catch {
      // A folder that is away is reported by who reads and writes it.
    } finally {
      isChecking = false
    }
  }

  judge()
  const timer = setInterval(() => void check(), checkMs)
  timer.unref()
  return {
    shared,
    detail: () => (state.isLow() ? DETAIL : undefined),
    metrics: diskMetrics(() => space, floor, state.isLow),
    close: () => clearInterval(timer),
  }
}

const BEGIN =
  'the disk of DATA_DIR is nearly full: visits count as before, but are no longer stored one by one, until there is room'
const END = 'the disk of DATA_DIR has room again: visits are stored one by one'
const DETAIL = 'the disk of DATA_DIR is nearly full: visits count, but are not stored one by one'

function spaceOf({ bavail, blocks, bsize }: { bavail: number; blocks: number; bsize: number }): Space {
  return { free: bavail * bsize, size: blocks * bsize }
}

function diskMetrics(space: () => Space, floor: DiskFloor, isLow: () => boolean): Metric[] {
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
      read: () => floorOf(floor, space().size),
    },
    {
      name: 'quirl_disk_low',
      help: '1 while visits count but are not stored one by one, because less than that is free',
      type: 'gauge',
      read: () => Number(isLow()),
    },
  ]
}
