import { createFairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'

/** Does the check of a name for somebody who waits. Undefined when too many wait, and when this one gives way to a smaller holder. */
export type AwaitCheck<T> = (name: string, holder: Holder) => Promise<{ checked: T } | undefined>

interface Run<T> {
  done: Promise<T>
  waiting: number
  unwanted: AbortController
}

/**
 * Bounds who waits for checks: the DNS servers of strangers' names may take all of their time, and requests that wait have a place
 * that others need. All who wait for one name share its check, which is cancelled when nobody waits any more.
 *
 * @param max how many may wait at the same time
 * @param check does the check of a name; what it returns once its signal is aborted is ignored
 */
export function createAwaitedChecks<T>(
  max: number,
  check: (name: string, unwanted: AbortSignal) => Promise<T>,
): AwaitCheck<T> {
  const pool = createFairPool<() => void>({ capacity: max })
  const runs = new Map<string, Run<T>>()

  function start(name: string): Run<T> {
    const unwanted = new AbortController()
    const run = { done: check(name, unwanted.signal), waiting: 0, unwanted }
    runs.set(name, run)
    return run
  }

  function leave(name: string, run: Run<T>): void {
    if (--run.waiting > 0) return
    if (runs.get(name) === run) runs.delete(name)
    run.unwanted.abort()
    // A cancelled one may fail, and nobody waits for it.
    run.done.catch(() => {})
  }

  return async (name, holder) => {
    if (pool.isRefused(holder)) return undefined
    const run = runs.get(name) ?? start(name)
    run.waiting++
    const { promise: leaving, resolve } = Promise.withResolvers<undefined>()
    const giveWay = () => resolve(undefined)
    for (const other of pool.put(giveWay, holder)) other()
    try {
      return await Promise.race([run.done.then((checked) => ({ checked })), leaving])
    } finally {
      pool.remove(giveWay)
      leave(name, run)
    }
  }
}
