import { sql } from '#kysely'
import type { MigrationDialect } from '../../db/migrations/migration.ts'
import { SERIALIZATION_FAILURE } from './errors.ts'
import { lockName } from './lock.ts'

/** Creates tables in PostgreSQL. */
export const postgresMigrations: MigrationDialect = {
  isShared: true,
  addIdColumn: (table, column) =>
    table.addColumn(column, 'bigint', (id) => id.generatedByDefaultAsIdentity().primaryKey()),
  async makeAppendOnly(transaction, table) {
    const refuse = `raise exception '${table} is append-only'`
    const body = `create function ${table}_refuse() returns trigger language plpgsql as $$ begin ${refuse}; end $$`
    await sql.raw(body).execute(transaction)
    const trigger = `create trigger ${table}_append_only before update or delete on ${table}`
    await sql.raw(`${trigger} for each row execute function ${table}_refuse()`).execute(transaction)
  },
  freeLinks: async (transaction) =>
    void (await sql`alter table links drop constraint links_code_key_fkey`.execute(transaction)),
  // A statement does not see what was committed after it began, but each one in the function of an "after" trigger does.
  async refuseRetiredCodes(transaction) {
    const refuse = `raise exception 'the code was taken by a deletion' using errcode = '${SERIALIZATION_FAILURE}'`
    const check = `if exists (select from codes where code_key = new.code_key) then ${refuse}; end if`
    const body = `begin ${check}; return null; end`
    const head = 'create function links_refuse_retired() returns trigger language plpgsql set search_path from current'
    await sql.raw(`${head} as $$ ${body} $$`).execute(transaction)
    const trigger = 'create trigger links_retired after insert on links'
    await sql.raw(`${trigger} for each row execute function links_refuse_retired()`).execute(transaction)
    // Such a link could not be deleted again: its code must be in one of the tables.
    await sql`delete from codes using links where codes.code_key = links.code_key`.execute(transaction)
  },
  async lock(transaction) {
    // A migration, and the wait for that of another process, may take longer than the role's time limits.
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await sql.raw(`set local ${limit} = 0`).execute(transaction)
    await lockName(transaction, 'migrations')
  },
}
