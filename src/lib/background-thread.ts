import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** How much nicer background work is: about a third of the share of the threads that answer requests, when all are busy. */
const NICER = 5

/**
 * Lets the calling thread give way to the threads that answer requests. On Linux, a priority belongs to a thread
 * (setpriority(2), "C library/kernel differences") and `/proc/thread-self` names the calling one; elsewhere nothing
 * happens, because there the whole process would give way.
 */
export function giveWay(): void {
  lower(() => [readlinkSync('/proc/thread-self').split('/').at(-1) ?? ''])
}

/** What Node calls the threads on which V8 collects garbage and compiles. */
const V8_THREAD = 'node-V8Worker'

/**
 * Lets V8's own threads give way as well. There are four: on a single core, or beside others that are busy, one collection
 * would keep each turn of the event loop waiting for four slices of the scheduler (17 ms were measured for 4 ms of work).
 */
export function letV8GiveWay(): void {
  const nameOf = (thread: string) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
  lower(() => readdirSync('/proc/self/task').filter((thread) => nameOf(thread) === V8_THREAD))
}

function lower(threads: () => string[]): void {
  if (process.platform !== 'linux') return
  try {
    const nice = Math.min(getPriority(process.pid) + NICER, constants.priority.PRIORITY_LOW)
    for (const thread of threads()) setPriority(Number(thread), nice)
  } catch {
    // Without /proc each thread takes its share like any other.
  }
}

/** How long background work runs at a stretch, and rests after it, in milliseconds. */
const STRETCH_MS = 1
const REST_MS = 0.1

/**
 * To be called often by long work on a thread of its own: makes the thread sleep for a moment after each stretch. On a
 * busy core the scheduler would let it run for several milliseconds at a time, and requests would wait for as long.
 */
export function createRest(): () => void {
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  let calls = 0
  let began = performance.now()
  return () => {
    // The clock costs more than the work between two calls.
    if (++calls % 32 !== 0 || performance.now() - began < STRETCH_MS) return
    Atomics.wait(nothing, 0, 0, REST_MS)
    began = performance.now()
  }
}
