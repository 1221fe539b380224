import type pg from 'pg'
import { openPostgresSession } from '../database/session.ts'
import { MOVING_SCHEMA } from '../database/moving.ts'
import { migratePostgres } from '../database/database.ts'
import { requireUtf8 } from '../database/encoding.ts'
import { StartError } from '../../lib/start-error.ts'
import { migrateScans } from '../scans/migrations.ts'
import { connectPatiently, openPostgresStore } from './store.ts'
import { SCANS_SCHEMA } from './tables.ts'
import { lostError } from '../../moving/hold.ts'
import type { Source } from '../../moving/source.ts'
import type { Target } from '../../moving/target.ts'

/**
 * Opens a database for a copy of a store: an empty one, or one that has a part of this copy.
 * @throws {StartError} when it has anything else
 */
export async function openPostgresTarget(
  url: string,
  { instance, journal }: Pick<Source, 'instance' | 'journal'>,
  now: () => number,
): Promise<Target> {
  const client = await connectPatiently(url)
  const lost = new AbortController()
  // The lock of the database ends with the connection.
  client.once('end', () => lost.abort(lostError('the connection that locks the copy was lost')))
  try {
    await claim(client, instance)
    await migratePostgres(url, now)
    const session = openPostgresSession({ url, max: 1, isPatient: true })
    await migrateScans(session).finally(session.close)
    const store = await openPostgresStore(url, journal)
    return {
      store,
      lost: lost.signal,
      // The marker is gone once everything before it is on the disk of the server.
      finish: async () => void (await client.query(`drop schema ${MOVING_SCHEMA} cascade`)),
      async close() {
        await store.close()
        await client.end()
      },
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

async function claim(client: pg.Client, instance: string): Promise<void> {
  const { rows } = await client.query<{ locked: boolean; encoding: string; begun: boolean; used: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('quirl moving', 0)) as locked,
      current_setting('server_encoding') as encoding,
      to_regclass('${MOVING_SCHEMA}.target') is not null as begun,
      to_regclass('migrations') is not null or to_regnamespace('${SCANS_SCHEMA}') is not null as used`,
  )
  const [found] = rows
  if (found?.locked !== true) throw new StartError('another "quirl migrate" is writing to this database')
  requireUtf8(found, 'the database of --to')
  if (found.begun) return requireSame(client, instance)
  if (found.used) throw new StartError('the database of --to has a store already: name an empty one')
  await client.query(
    `begin; create schema ${MOVING_SCHEMA}; create table ${MOVING_SCHEMA}.target (instance text primary key)`,
  )
  await client.query(`insert into ${MOVING_SCHEMA}.target values ($1)`, [instance])
  await client.query('commit')
}

async function requireSame(client: pg.Client, instance: string): Promise<void> {
  const { rows } = await client.query<{ instance: string }>(`select instance from ${MOVING_SCHEMA}.target`)
  if (rows[0]?.instance !== instance)
    throw new StartError('the database of --to has an unfinished copy of another store: name an empty one')
}
