import { Kysely, PostgresDialect, sql } from '#kysely'
import type { Database, PrepareChange, LeaseStore, Urgency } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import { ENCODING, requireUtf8, type Encoded } from './encoding.ts'
import { isConflict, toPostgresStartError, toStoreError } from './errors.ts'
import { lockName } from './lock.ts'
import { requireNotMoving } from './moving.ts'
import { postgresMigrations } from './migrations.ts'
import { createLosses } from './losses.ts'
import { runFirst } from './precedence.ts'
import { createPool, usualTimes, type Pool, type PoolOptions } from './pool.ts'
import { shareConnections } from './shares.ts'
import { createPrepareSharedRead } from './shared-lookups.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { Tables } from '../../db/schema.ts'
import { ChangesHeld } from '../../db/unavailable.ts'

/** A request may have failed for a lock of a table that `check` does not ask for. */
const DOUBT_MS = 1000

/** What others' locks do not keep waiting; pauses and deletions, which are owners', wait as other changes do. */
const withPrecedence: ReadonlySet<Urgency> = new Set(['operator', 'suspension'])

/** Names the database in errors. */
const WHERE = 'the database of DATABASE_URL'

/**
 * Opens the store in PostgreSQL, which several processes share, and migrates it: one of them, while the others wait.
 * @throws {StartError} when it cannot be reached or used
 */
export async function openPostgres(options: Omit<PoolOptions, 'isPatient'>, now: () => number): Promise<Database> {
  try {
    await migratePostgres(options.url, now, requireNotMoving)
    return connectPostgres(options)
  } catch (error) {
    throw toPostgresStartError(toStoreError(error))
  }
}

/**
 * Migrates a database.
 * @param check called before that
 * @throws {StartError} when it is not in UTF-8, before any change
 */
export async function migratePostgres(
  url: string,
  now: () => number,
  check: (db: Kysely<Tables>) => Promise<void> = async () => {},
): Promise<void> {
  // A migration of a large table, and the wait for another process that runs it, may take long.
  const db = connect({ url, max: 1, isPatient: true })
  try {
    requireUtf8((await sql.raw<Encoded>(ENCODING).execute(db)).rows[0], WHERE)
    await check(db)
    await migrate(db, postgresMigrations, WHERE, now)
  } finally {
    await db.destroy()
  }
}

/** The same for a database that is migrated. */
export function connectPostgres(options: Omit<PoolOptions, 'isPatient'>): Database {
  const { db, first, inPlace, close } = connectShared(options)
  const transaction: Database['transaction'] = (work) =>
    retryConflicts(() => inPlace(() => db.transaction().execute(work)), isConflict)
  // The clocks of nodes may differ.
  const time = () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
  return {
    read: db,
    prepareRead: createPrepareSharedRead(first),
    write: db,
    prepareChange: createPrepareRemoteChange(db),
    transaction,
    // Its disk is not that of this process.
    urgent: (urgency, work) => (withPrecedence.has(urgency) ? runFirst(transaction, first, work) : transaction(work)),
    lock: lockName,
    unlocked: (query) => query.forNoKeyUpdate().skipLocked(),
    kept: (query) => query.forKeyShare(),
    leases: createSharedLeases({ write: first, time }),
    time,
    check: () => checkChanges(first),
    doubtMs: DOUBT_MS,
    close,
  }
}

/** This part of the connections is for visits. */
const PART_OF_VISITS = 1 / 5

/** Queries on the connections of a node. */
interface Connected {
  db: Kysely<Tables>
  /** For visits, health checks and leases, which wait for no other work. */
  first: Kysely<Tables>
  /** Runs a transaction on `db`. */
  inPlace: <T>(work: () => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** Connects; networks have shares of the connections, unless these are too few. */
function connectShared(options: Omit<PoolOptions, 'isPatient'>): Connected {
  const { max, times = usualTimes, losses = createLosses() } = options
  const ofVisits = Math.floor(max * PART_OF_VISITS)
  if (ofVisits === 0) {
    const db = connect(options)
    return { db, first: db, inPlace: (work) => work(), close: () => db.destroy() }
  }
  const rest = max - ofVisits
  const { pool, run } = shareConnections(createPool({ ...options, losses, max: rest }), rest, times.connectMs)
  const [db, first] = [queriesOn(pool), queriesOn(createPool({ ...options, losses, max: ofVisits }))]
  return { db, first, inPlace: run, close: async () => void (await Promise.all([db.destroy(), first.destroy()])) }
}

/**
 * Changes no row, but PostgreSQL refuses it on a standby, and it waits for whoever has the links locked. A refusal also
 * makes the pool drop a connection to a standby, although nobody sends changes to a node that is not ready.
 */
async function checkChanges(db: Kysely<Tables>): Promise<void> {
  try {
    await db
      .updateTable('links')
      .set((of) => ({ active: of.ref('active') }))
      .where(sql<boolean>`false`)
      .execute()
  } catch (error) {
    // Visits go on while the store is moved.
    if (!(error instanceof ChangesHeld)) throw error
  }
}

function connect(options: PoolOptions): Kysely<Tables> {
  return queriesOn(createPool(options))
}

function queriesOn(pool: Pool): Kysely<Tables> {
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}

/** Changes in PostgreSQL. */
function createPrepareRemoteChange(db: Kysely<Tables>): PrepareChange {
  return (build) => {
    const query = build(db).compile()
    return async (values) => {
      const result = await retryConflicts(() => db.executeQuery({ ...query, parameters: values }), isConflict)
      return Number(result.numAffectedRows ?? 0)
    }
  }
}

/** Leases of all processes on the store. They expire by its clock, because those of nodes may differ. */
export function createSharedLeases({ write, time }: Pick<Database, 'write' | 'time'>): LeaseStore {
  return {
    async take(name, holder, lengthMs) {
      const now = time()
      const row = { holder, expires_at: sql<number>`${now} + cast(${lengthMs} as bigint)` }
      const result = await write
        .insertInto('leases')
        .values({ name, ...row })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(row)
            .where((each) => each.or([each('leases.expires_at', '<=', now), each('leases.holder', '=', holder)])),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },
    async holds(transaction, name, holder) {
      const held = transaction.selectFrom('leases').select('name').where('name', '=', name).where('holder', '=', holder)
      return (await held.executeTakeFirst()) !== undefined
    },
    async free(name, holder) {
      await write.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
    },
  }
}
