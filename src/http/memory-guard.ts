import { totalmem } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import type { FairPool } from '../lib/fair-pool.ts'
import { availableMemory } from '../lib/memory-limit.ts'
import type { Metric } from './metric.ts'
import { readKernel, tcpMemory, tcpPressure } from './tcp-queues.ts'

/** From this part of the memory on that there is, the largest holders give way, */
const TIGHT = 0.7
/** and so much below it they may have as much as before again; in between as well, but slowly: not all that V8 or the C library has is in use. */
const EASIER = 0.1
const SLOWLY_MS = 1_000
/** After so long below the first, there is enough again, also if it stays above the second. */
const CALM_MS = 30_000
/** How often memory is looked at, and how often where half of it is used: strangers can take 150 MB a second. */
const LOOK_MS = 200
const CLOSE_LOOK_MS = 50
/** The part of the memory of a process that the kernel may have for its connections. */
const PART_OF_SOCKETS = 1 / 2
/** What gives way at each look, and what comes back. */
const STEP = 1 / 16
/** What of a share is left at least. */
const LEAST = 1 / 8
/** How old a number may be: the kernel sums up those of a control group when enough has changed, or after so long. */
const OLDEST_MS = 2_000

const ALL_KINDS = ['process', 'heap', 'sockets', 'tcp'] as const

/**
 * What memory may be short of: what the process has, with what the kernel has for its connections; the heap of V8; what the kernel has for
 * its connections alone, and for all of the machine.
 */
export type MemoryKind = (typeof ALL_KINDS)[number]

/** A pool that gives way while memory runs short. */
export interface MemoryShare {
  /** What it takes of. */
  kinds: readonly MemoryKind[]
  /** From which part of the memory on it gives way, if not from the usual one. */
  from?: number | undefined
  /**
   * Whether nothing else takes of that memory. It gives way by as much as there is too much, and comes back by as much as it has, once for
   * each number, which the kernel may say late.
   */
  isAlone?: boolean | undefined
  /**
   * Some of what it has gives way, and as much less is accepted.
   * @param part what of it there is memory for
   */
  tighten: (part?: number) => void
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
  onChange: (isShort: boolean, kind: MemoryKind) => void
  /** For tests. */
  read?: () => Record<MemoryKind, MemoryUse>
}

/**
 * Looks at the memory that is used, whatever uses it: each pool has a bound of its own, and strangers who fill several at once
 * would have the process killed with the memory of a small machine, or of the unit. While it is short, the largest holders of the
 * `shares` that take of it give way, in steps: what they had is free only once it was collected.
 */
export function createMemoryGuard({ shares, onChange, read = createReader() }: MemoryGuardNeeds): MemoryGuard {
  const guarded = shares.map((share) => ({ share, pressureOn: createPressure(share) }))
  const pressureOnAll = createPressure({ kinds: ALL_KINDS })
  let [isShort, part] = [false, 0]
  function look(): void {
    const uses = read()
    for (const { share, pressureOn } of guarded) {
      const { isTight, isEasier, room } = pressureOn(uses)
      if (isTight) share.tighten(room)
      else if (isEasier) share.relax()
    }
    const { kind, isTight, isOver, ...highest } = pressureOnAll(uses)
    part = highest.part
    if (isTight !== isShort && (isTight || isOver)) onChange((isShort = isTight), kind)
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

/** What memory there is for a pool. */
export interface MemoryOfPool<E> {
  pool: Pick<FairPool<E>, 'resize' | 'total'>
  kinds: readonly MemoryKind[]
  from?: number
  isAlone?: boolean
  /** The weight that all entries of the pool may have at first, */
  most: number
  /** and what remains of it at least. */
  least?: number | undefined
  /** Ends an entry that gives way. */
  leave: (entry: E) => void
}

export function createMemoryShare<E>(of: MemoryOfPool<E>): MemoryShare {
  const { pool, kinds, from, isAlone = false, most, least = Math.floor(most * LEAST), leave } = of
  let capacity = most
  function resize(to: number): void {
    capacity = to
    for (const entry of pool.resize(to)) leave(entry)
  }
  return {
    kinds,
    from,
    isAlone,
    tighten(part = 1) {
      const left = isAlone ? Math.min(part, 1 - STEP) : 1 - STEP
      resize(Math.max(least, Math.floor(Math.min(capacity, pool.total()) * left)))
    },
    relax() {
      if (capacity < most) resize(Math.min(most, capacity + (isAlone ? capacity : Math.ceil(most * STEP))))
    },
  }
}

/** @returns says how short the memory of some kinds is, to be called at each look */
function createPressure({ kinds, from = TIGHT, isAlone = false }: Pick<MemoryShare, 'kinds' | 'from' | 'isAlone'>) {
  let waitedMs = 0
  const isNew = createNews()
  return (uses: Record<MemoryKind, MemoryUse>) => {
    const parts = kinds.map((kind) => ({ kind, part: uses[kind].used / uses[kind].limit }))
    const highest = parts.reduce((most, each) => (each.part > most.part ? each : most))
    const [isTight, isEasy] = [highest.part >= from, highest.part < from - EASIER]
    const isOld = !isNew(highest.part) && isAlone
    waitedMs = isTight ? 0 : waitedMs + CLOSE_LOOK_MS
    return {
      ...highest,
      room: from / highest.part,
      isTight: isTight && !isOld,
      isEasier: (isEasy && !isOld) || (!isTight && waitedMs % SLOWLY_MS === 0),
      isOver: isEasy || waitedMs >= CALM_MS,
    }
  }
}

/** @returns whether a number is new: another one than before, or as old as it may be */
function createNews() {
  let [last, at] = [NaN, 0]
  return (number: number): boolean => {
    const now = performance.now()
    if (number === last && now - at < OLDEST_MS) return false
    ;[last, at] = [number, now]
    return true
  }
}

/**
 * Reads what the process has for itself, and what the kernel has for its connections. What it has mapped of files does not count, since
 * the kernel takes that back. In a control group of version 2, both count for its limit, and only it says what is its own; without a
 * limit, what the machine has for all connections takes from what it has. Other systems than Linux say only the whole.
 */
function createReader(): () => Record<MemoryKind, MemoryUse> {
  const limit = availableMemory()
  const isConstrained = limit < totalmem()
  const statistics = groupStatistics()
  const tcpLimit = tcpPressure()
  return () => {
    const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics()
    const tcp = tcpMemory()
    const ofConnections = isConstrained ? (numberOf(readKernel(statistics), /^sock (\d+)$/m) ?? 0) : tcp
    return {
      process: { used: ownMemory() + ofConnections, limit },
      heap: { used: heap, limit: heapLimit },
      sockets: { used: ofConnections, limit: PART_OF_SOCKETS * limit },
      tcp: { used: tcp, limit: tcpLimit },
    }
  }
}

function ownMemory(): number {
  const kib = numberOf(readKernel('/proc/self/status'), /^RssAnon:\s+(\d+) kB$/m)
  return kib === undefined ? process.memoryUsage.rss() : 1024 * kib
}

/** @returns the file with the numbers of the control group of this process; one that does not exist with version 1 */
function groupStatistics(): string {
  const [, path = ''] = /^0::(.*)$/m.exec(readKernel('/proc/self/cgroup')) ?? []
  return join('/sys/fs/cgroup', path, 'memory.stat')
}

function numberOf(text: string, pattern: RegExp): number | undefined {
  const [, digits] = pattern.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
