import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely, type Transaction } from '#kysely'
import type { Tables } from '../../db/schema.ts'
import { createPatience, pause } from '../../db/patience.ts'
import { isBusy } from '../../db/unavailable.ts'

/** How often is looked who has locked what a transaction with precedence waits for: most wait for nobody, and end before the first look. */
const LOOK_MS = 100
/** How often one look tries to cancel each, and how long it waits for that, in seconds. */
const [TRIES, TRY_S] = [50, 0.002]
/** A transaction that does nothing for so many seconds is one of a node that stands still: its connection is ended. */
const IDLE_S = 1

/** The name under which PostgreSQL shows a session while nobody with precedence may end its transaction. */
const PROTECTED = 'quirl first'

/** Keeps a transaction from being ended for another one with precedence. @returns the process of the server that runs it */
async function protect(transaction: Transaction<Tables>): Promise<number> {
  // Set for the transaction only: behind a pooler, the session is another client's afterwards.
  const { rows } = await sql<{ pid: number }>`
    select pg_backend_pid() as pid, set_config('application_name', ${PROTECTED}, true)`.execute(transaction)
  return rows[0]?.pid ?? 0
}

/**
 * Runs a transaction before what others have locked: whoever keeps it waiting is cancelled, which rolls that back, and answered with 503.
 * Strangers can have the same links locked without a break, by changes of hundreds, each of which takes seconds.
 * @param transaction begins one, again when it was rolled back because of another one
 * @param watching connections that those who wait for locks do not have
 * @param monotonic a clock that never goes back
 */
export async function runFirst<T>(
  transaction: (work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>,
  watching: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
  monotonic: () => number = () => performance.now(),
): Promise<T> {
  let isDone = false
  const run = () =>
    transaction(async (begun) => {
      const stop = watch(watching, await protect(begun))
      try {
        const result = await work(begun)
        isDone = true
        return result
      } finally {
        // Before its end: the server's process then runs another transaction.
        await stop()
      }
    })
  const isPatient = createPatience(monotonic)
  for (; ; isDone = false) {
    try {
      return await run()
    } catch (error) {
      // Whether the commit of one that was done has reached the store is not known.
      if ((isDone && !isBusy(error)) || !isPatient(error)) throw error
    }
    await pause()
  }
}

/** Ends whoever blocks a process of the server, until the returned function is called, which resolves when no look is under way. */
function watch(db: Kysely<Tables>, pid: number): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const look = async () => {
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
      // One that fails, as for want of a connection, is followed by another.
      if (!signal.aborted) await endBlockers(db, pid).catch(() => {})
    }
  }
  const looking = look()
  return async () => {
    ending.abort()
    await looking
  }
}

/**
 * Ends whoever blocks a process of the server, of this program only: a pooler may add the client to the name of a session. A change of many
 * rows is idle in between most of the time, and nothing can be cancelled then: it is tried every few milliseconds while it is in the way.
 */
async function endBlockers(db: Kysely<Tables>, pid: number): Promise<void> {
  const program = (name: string) => sql`split_part(${sql.raw(name)}, ' - ', 1)`
  await sql`
    with own as materialized (
      select pid, state like 'idle in transaction%' and state_change < clock_timestamp() - make_interval(secs => ${IDLE_S}) as is_still
      from pg_stat_activity
      where usename = current_user and ${program('application_name')} = ${program(`current_setting('application_name')`)}
    )
    select case
      when pid = any(array(select own.pid from own where is_still)) then pg_terminate_backend(pid)
      else pg_cancel_backend(pid)
    end, pg_sleep(${TRY_S})
    from generate_series(1, ${TRIES}) as try
    cross join lateral unnest(pg_blocking_pids(cast(${pid} as integer) + 0 * try)) as blocking (pid)
    where pid = any(array(select own.pid from own))`.execute(db)
}
