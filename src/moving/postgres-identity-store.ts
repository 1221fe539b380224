import type pg from 'pg'
import { migrations } from '../db/migrate.ts'
import { MOVING_SCHEMA } from '../nodes/database/moving.ts'
import { StartError } from '../lib/start-error.ts'

/**
 * Reads the id of a store, and requires that it is complete and its tables are those of this version.
 * @param where names the database in errors
 * @throws {StartError}
 */
export async function readIdentity(client: pg.Client, where: string): Promise<string> {
  const { rows: found } = await client.query<{ exists: boolean; isCopy: boolean }>(
    `select to_regclass('instance') is not null as exists, to_regclass('${MOVING_SCHEMA}.target') is not null as "isCopy"`,
  )
  if (found[0]?.exists !== true) throw new StartError(`${where} has no links of quirl`)
  if (found[0].isCopy) throw new StartError(`${where} has a copy that is not complete`)
  const { rows } = await client.query<{ id: string; schema: number }>(
    'select (select id from instance) as id, (select max(number) from migrations) as schema',
  )
  if (rows[0]?.schema !== migrations.length)
    throw new StartError(`${where} was written by another version of quirl: start this one on it first`)
  return rows[0].id
}
