import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { FairPool } from '../lib/fair-pool.ts'
import type { Metric } from './metric.ts'
import { pageSize, tcpMemory } from './send-queues.ts'

/** From this part of the memory on that there is, the largest holders give way, */
const TIGHT = 0.7
/** and below this one they may have as much as before again. */
const EASY = 0.6
/** How often memory is looked at, and how often where half of it is used: strangers can take 150 MB a second. */
const LOOK_MS = 200
const CLOSE_LOOK_MS = 50
/** What gives way at each look, and what comes back. */
const STEP = 1 / 16
/** What of a share is left at least. */
const LEAST = 1 / 8

/** A pool that gives way while memory runs short. */
export interface MemoryShare {
  /** Some of what it has gives way, and as much less is accepted. */
  tighten: () => void
  /** Accepts some more again, up to what it had at first. */
  relax: () => void
}

/** What there is of a kind of memory, and what of it is used, in bytes. */
export interface MemoryUse {
  used: number
  limit: number
}

export interface MemoryGuard {
  stop: () => void
  metrics: Metric[]
}

export interface MemoryGuardNeeds {
  shares: readonly MemoryShare[]
  /** Called when memory begins to be short, and when there is enough again. */
  onChange: (isShort: boolean, kind: string) => void
  /** By kind; for tests. */
  read?: () => Record<string, MemoryUse>
}

/**
 * Looks at the memory that is used, whatever uses it: each pool has a bound of its own, and strangers who fill several at once
 * would have the process killed with the memory of a small machine, or of the unit. While it is short, the largest holders of all
 * `shares` give way, connections before others, in steps: what they had is free only once it was collected.
 */
export function createMemoryGuard({ shares, onChange, read = createReader() }: MemoryGuardNeeds): MemoryGuard {
  let [isShort, part] = [false, 0]
  function look(): void {
    const [kind, highest] = highestOf(read())
    part = highest
    if (part >= TIGHT) for (const share of shares) share.tighten()
    else if (part < EASY) for (const share of shares) share.relax()
    if (part >= TIGHT !== isShort && (part >= TIGHT || part < EASY)) onChange((isShort = !isShort), kind)
    timer = setTimeout(look, part < 0.5 ? LOOK_MS : CLOSE_LOOK_MS).unref()
  }
  let timer = setTimeout(look, LOOK_MS).unref()
  return {
    stop: () => clearTimeout(timer),
    metrics: [
      {
        name: 'quirl_memory_used_ratio',
        help: 'The part of the memory that is used, of the process, the heap of V8, or TCP, whichever is higher',
        type: 'gauge',
        read: () => part,
      },
    ],
  }
}

/**
 * @param most the weight that all entries of the pool may have at first
 * @param leave ends an entry that gives way
 */
export function createMemoryShare<E>(
  pool: Pick<FairPool<E>, 'resize' | 'total'>,
  most: number,
  leave: (entry: E) => void,
): MemoryShare {
  let capacity = most
  function resize(to: number): void {
    capacity = to
    for (const entry of pool.resize(to)) leave(entry)
  }
  return {
    tighten: () =>
      resize(Math.max(Math.floor(most * LEAST), Math.floor(Math.min(capacity, pool.total()) * (1 - STEP)))),
    relax() {
      if (capacity < most) resize(Math.min(most, capacity + Math.ceil(most * STEP)))
    },
  }
}

function highestOf(uses: Record<string, MemoryUse>): [kind: string, part: number] {
  const parts = Object.entries(uses).map(([kind, { used, limit }]): [string, number] => [kind, used / limit])
  return parts.reduce((highest, each) => (each[1] > highest[1] ? each : highest), ['', 0])
}

/** The memory that the unit, the container or else the machine has, in bytes. */
function memoryThereIs(): number {
  const limit = process.constrainedMemory()
  return limit === 0 ? totalmem() : Math.min(limit, totalmem())
}

/**
 * Reads what the process has for itself, with what the kernel keeps of its connections: both count for the limit of a unit (cgroup
 * v2, `memory.stat`). What it has mapped of files does not, since the kernel takes that back. Other systems than Linux say only the
 * whole.
 */
function createReader(): () => Record<string, MemoryUse> {
  const limit = memoryThereIs()
  const tcpLimit = tcpPressure()
  const ofProcess = () => {
    const [, own] = /^RssAnon:\s+(\d+) kB/m.exec(readKernel('/proc/self/status')) ?? []
    return own === undefined ? process.memoryUsage.rss() : 1024 * Number(own)
  }
  return () => {
    const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics()
    const tcp = tcpMemory()
    return {
      process: { used: ofProcess() + tcp, limit },
      heap: { used: heap, limit: heapLimit },
      tcp: { used: tcp, limit: tcpLimit },
    }
  }
}

/** What all connections of the machine may take before the kernel takes from all of them (tcp(7), `tcp_mem`), in bytes. */
function tcpPressure(): number {
  const [, pages] = readKernel('/proc/sys/net/ipv4/tcp_mem').split(/\s+/).map(Number)
  return pages === undefined ? Infinity : pageSize() * pages
}

/** Empty on other systems than Linux, and where a unit may not see it. */
function readKernel(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
