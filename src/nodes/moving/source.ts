import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { MOVING_SCHEMA } from '../database/moving.ts'
import { HELD_STATE, isConflict } from '../database/errors.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import { StartError } from '../../lib/start-error.ts'
import { keepHold } from '../../moving/hold.ts'
import { leftOut } from '../../moving/plan.ts'
import { readIdentity, connectPatiently, openPostgresStore } from './store.ts'
import { readTables } from './tables.ts'
import type { Source } from '../../moving/source.ts'
import type { Group } from '../../moving/table.ts'

/** A hold ends by itself when the command was killed. */
const HOLD = `interval '10 seconds'`
const source = `${MOVING_SCHEMA}.source`

/** How long to wait for the end of a hold, which ends by itself, when nobody answers. */
const END_MS = 1000

/** Every node refuses changes while this says so: it is asked before each statement that changes a table. */
const refuse = `
  create or replace function ${MOVING_SCHEMA}.refuse() returns trigger language plpgsql security definer as $$
  begin
    if exists (select from ${source} where moved or held_until > clock_timestamp()) then
      raise exception 'changes are refused while the store is moved' using errcode = '${HELD_STATE}';
    end if;
    return null;
  end $$`

/**
 * Opens a store in PostgreSQL, whichever nodes run on it.
 * @throws {StartError} when there is none, or it is not of this version
 */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = await connectPatiently(url)
  // A renewal waits neither for what the other one waits for, nor for the end of its transaction.
  const renewing = await connectPatiently(url).catch(async (error: unknown) => {
    await client.end()
    throw error
  })
  const disconnect = () => Promise.all([client.end(), renewing.end()])
  try {
    const instance = await readIdentity(client, 'the database of --from')
    const store = await openPostgresStore(url)
    const hold = createHold(client, renewing)
    return {
      store,
      instance,
      journal: undefined,
      isInUse: true,
      lost: hold.lost,
      holdScans: () => hold.scans(),
      holdChanges: () => hold.changes(),
      finish: () => hold.finish(),
      async close() {
        await Promise.race([hold.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })])
        await store.close()
        await disconnect()
      },
    }
  } catch (error) {
    await disconnect().catch(() => {})
    throw error
  }
}

const isHeld = 'token = $1 and held_until > clock_timestamp()'
const letGo = `update ${source} set held_until = '-infinity' where token = $1 and not moved`
const extend = `update ${source} set held_until = clock_timestamp() + ${HOLD} where ${isHeld}`

function createHold(client: pg.Client, renewing: pg.Client) {
  const token = randomUUID()
  const lost = new AbortController()
  let [hasBegun, isFinished] = [false, false]
  const kept = keepHold(
    async () => requireHeld(await renewing.query(extend, [token])),
    (reason) => lost.abort(reason),
  )
  const hold = (group: Group, take: string) =>
    retryConflicts(() => holdOnce(client, { token, group, take }), isConflict)

  return {
    lost: lost.signal,
    async scans(): Promise<void> {
      // A hold of a command that was killed is taken over; one that runs notices that with its next renewal.
      await hold('scans', `update ${source} set token = $1, held_until = clock_timestamp() + ${HOLD}`)
      hasBegun = true
      await kept.begin()
    },
    changes: () => hold('links', extend),
    async finish(): Promise<void> {
      kept.end()
      await requireHeld(await client.query(`update ${source} set moved = true where ${isHeld}`, [token]))
      isFinished = true
    },
    async end(): Promise<void> {
      kept.end()
      if (isFinished || !hasBegun) return
      const { rowCount } = await client.query(letGo, [token])
      if (rowCount === 0) return
      // Drops the triggers as well; who waits for a reader keeps all later ones waiting, and a lapsed hold does no harm.
      await client.query(`set lock_timeout = ${END_MS / 2}`)
      await client.query(`drop schema ${MOVING_SCHEMA} cascade`)
    },
  }
}

interface Held {
  token: string
  /** The tables that nobody changes from then on. */
  group: Group
  /** The statement that takes or extends the hold. */
  take: string
}

/** Locks one table after the other, and so can meet a transaction of a node in a deadlock: one of the two is run again. */
async function holdOnce(client: pg.Client, { token, group, take }: Held): Promise<void> {
  await client.query('begin')
  try {
    await prepare(client)
    await askBefore(client, group)
    await requireHeld(await client.query(take, [token]))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function requireHeld({ rowCount }: pg.QueryResult): Promise<void> {
  if (rowCount !== 1) throw new StartError('the store has not waited for this move: run the command again')
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(`set local lock_timeout = '5s'`)
  await client.query(`create schema if not exists ${MOVING_SCHEMA}`)
  await client.query(
    `create table if not exists ${source} (token text, held_until timestamptz not null, moved boolean not null)`,
  )
  await client.query(`insert into ${source} select '', '-infinity', false where not exists (select from ${source})`)
  await client.query(refuse)
}

/** Makes tables ask before they change; waits for transactions that have changed one, and keeps others waiting. */
async function askBefore(client: pg.Client, group: Group): Promise<void> {
  for (const [name, table] of await readTables(client)) {
    if (leftOut[name] !== undefined || table.group !== group) continue
    const when = 'before insert or update or delete or truncate'
    // Dropping one that is there would wait for all who read, also for a command that was cut off in its transaction.
    await client.query(
      `create or replace trigger quirl_moving ${when} on ${table.from} for each statement execute function ${MOVING_SCHEMA}.refuse()`,
    )
  }
}
