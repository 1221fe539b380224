import { sql, type Transaction } from '#kysely'
import type { MigrationDialect } from '../migrations/migration.ts'
import type { Tables } from '../schema.ts'

/** Creates tables in SQLite. Foreign keys must not be enforced during a migration. */
export const sqliteMigrations: MigrationDialect = {
  isShared: false,
  addIdColumn: (table, column) => table.addColumn(column, 'integer', (id) => id.primaryKey().autoIncrement()),
  async makeAppendOnly(transaction, table) {
    for (const change of ['update', 'delete']) {
      const trigger = `create trigger ${table}_no_${change} before ${change} on ${table}`
      await sql.raw(`${trigger} begin select raise(abort, '${table} is append-only'); end`).execute(transaction)
    }
  },
  freeLinks: remakeLinks,
  // There is one writer: no insertion waits for a deletion.
  refuseRetiredCodes: async () => {},
  // "begin immediate" has taken the write lock already.
  lock: async () => {},
}

/** SQLite cannot drop these from an existing table (https://sqlite.org/lang_altertable.html, 8). */
async function remakeLinks(transaction: Transaction<Tables>): Promise<void> {
  const steps = [
    `create table free_links (
      id integer primary key,
      code_key text not null unique,
      code text not null,
      token_hash text not null unique,
      kind text not null,
      target text,
      payload text not null,
      title text,
      campaign text,
      utm text not null,
      active smallint not null,
      revision integer not null,
      created_at bigint not null,
      updated_at bigint not null,
      removed_at bigint,
      removed_reason text,
      removed_source text,
      removed_entry text
    )`,
    'insert into free_links select * from links order by id',
    'drop table links',
    'alter table free_links rename to links',
  ]
  for (const step of steps) await sql.raw(step).execute(transaction)
}
