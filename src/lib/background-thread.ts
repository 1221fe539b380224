import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** Nice levels of background threads below those that serve requests: about a third of their share when all are busy. */
const NICENESS = 5

/**
 * Lowers the priority of the calling thread. On Linux, priorities belong to threads (setpriority(2), "C library/kernel
 * differences"), and `/proc/thread-self` is the calling one. Elsewhere this does nothing, because it would lower the
 * priority of the whole process.
 */
export function lowerPriority(): void {
  lower(() => [readlinkSync('/proc/thread-self').split('/').at(-1) ?? ''])
}

/** Node's name for the threads on which V8 collects garbage and compiles. */
const V8_THREAD = 'node-V8Worker'

/**
 * Lowers the priority of V8's threads. Without `--v8-pool-size` there are four: on a single or busy core, one garbage collection
 * would delay each iteration of the event loop by four time slices of the scheduler (17 ms were measured for 4 ms of work).
 */
export function lowerV8Priority(): void {
  const nameOf = (thread: string) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
  lower(() => readdirSync('/proc/self/task').filter((thread) => nameOf(thread) === V8_THREAD))
}

function lower(threads: () => string[]): void {
  if (process.platform !== 'linux') return
  try {
    const nice = Math.min(getPriority(process.pid) + NICENESS, constants.priority.PRIORITY_LOW)
    for (const thread of threads()) setPriority(Number(thread), nice)
  } catch {
    // Without /proc all threads have the same priority.
  }
}

/** How long background work runs without a break, and how long it then sleeps, in milliseconds. */
const RUN_MS = 1
const SLEEP_MS = 0.1

/**
 * Creates a function that long work on a thread calls often, to yield the core by a short sleep. On a busy core the
 * scheduler would otherwise let the thread run for several milliseconds, while requests wait.
 */
export function createYield(): () => void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  let calls = 0
  let startedAt = performance.now()
  return () => {
    // Reading the clock costs more than the work between two calls.
    if (++calls % 32 !== 0 || performance.now() - startedAt < RUN_MS) return
    Atomics.wait(never, 0, 0, SLEEP_MS)
    startedAt = performance.now()
  }
}
