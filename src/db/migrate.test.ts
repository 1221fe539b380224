import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { StartError } from '../lib/start-error.ts'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { migrate, migrations } from './migrate.ts'
import { openDatabase } from './open.ts'
import { openSqlite } from './sqlite/database.ts'
import { connect } from './sqlite/connection.ts'
import { createKysely } from './sqlite/dialect.ts'
import { sqliteMigrations } from './sqlite/migrations.ts'

test('two processes that migrate at once do each step once', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'links.db')
  const script = `
    const { openSqlite } = await import(${JSON.stringify(new URL('sqlite/database.ts', import.meta.url).href)})
    await (await openSqlite(process.argv[1], Date.now)).close()`
  const processes = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, file], { stdio: 'inherit' }),
  )
  const codes = await Promise.all(processes.map(async (each) => (await once(each, 'exit'))[0] as number))
  assert.deepEqual(codes, [0, 0, 0, 0])
  const db = await openSqlite(file, Date.now)
  const applied = await db.read.selectFrom('migrations').select(['number', 'name']).execute()
  await db.close()
  assert.deepEqual(
    applied.map((each) => ({ ...each })),
    migrations.map(({ name }, at) => ({ number: at + 1, name })),
  )
})

test('links of an older version keep their data, and the codes of deleted ones stay taken', async (t) => {
  const file = join(temporaryFolder(t), 'links.db')
  const old = new DatabaseSync(file)
  await migrateTo(
    old,
    migrations.findIndex(({ name }) => name === 'retired-codes'),
  )
  old.exec(`
    pragma foreign_keys = on;
    insert into codes values ('kept'), ('deleted'), ('removed');
    insert into links (id, code_key, code, token_hash, kind, target, payload, utm, active, revision, created_at, updated_at)
      values (7, 'kept', 'Kept', 'a', 'url', 'https://example.com/', '{}', '{}', 1, 3, 1, 2),
        (2099511627776, 'removed', 'removed', 'b', 'url', null, '{"x":1}', '{}', 0, 1, 1, 1);
    update links set removed_at = 5, removed_reason = 'why', removed_source = 'list', removed_entry = 'e/' where id > 7;
    insert into designs values (7, '{}');
    insert into reports values (7, 1, '{}', '[]', 1, 1)`)
  const rows = old.prepare('select * from links order by id').all()
  const links = rows.map(({ removed_entry, ...row }) => ({ ...row, removed_expression: removed_entry, password: null }))
  old.close()
  const db = await openSqlite(file, Date.now)
  undoLater(t, () => db.close())
  const all = (table: 'links' | 'designs' | 'reports') => db.read.selectFrom(table).selectAll().execute()
  const migrated = (await all('links')).map((row) => ({ ...row }))
  // The columns of later versions are null.
  const later = Object.fromEntries(Object.keys(migrated[0] ?? {}).map((name) => [name, null]))
  assert.deepEqual(
    migrated,
    links.map((link) => ({ ...later, ...link })),
  )
  assert.deepEqual([(await all('designs')).length, (await all('reports')).length], [1, 1])
  const codes = await db.read.selectFrom('codes').select('code_key').execute()
  assert.deepEqual(
    codes.map((row) => row.code_key),
    ['deleted'],
  )
  await db.write.deleteFrom('links').where('id', '=', 7).execute()
  assert.deepEqual([await all('designs'), await all('reports')], [[], []], 'what belongs to a link goes with it')
})

test('rules, responses and suspensions of an older version are there under their new names', async (t) => {
  const file = join(temporaryFolder(t), 'links.db')
  const old = new DatabaseSync(file)
  await migrateTo(
    old,
    migrations.findIndex(({ name }) => name === 'names'),
  )
  old.exec(`
    insert into replays values ('l', 'r', 's', 1);
    insert into entries values ('e/', 'block', 'why', 1, 2);
    insert into links
      (id, code_key, code, token_hash, kind, payload, utm, active, revision, created_at, updated_at, removed_at, removed_entry)
      values (7, 'a', 'a', 'a', 'url', '{}', '{}', 1, 1, 1, 1, 3, 'e/')`)
  old.close()
  const db = await openSqlite(file, Date.now)
  undoLater(t, () => db.close())
  const [response] = await db.read.selectFrom('idempotency_keys').selectAll().execute()
  assert.deepEqual({ ...response }, { lookup: 'l', request_hash: 'r', response: 's', created_at: 1 })
  const [rule] = await db.read.selectFrom('rules').selectAll().execute()
  assert.deepEqual({ ...rule }, { expression: 'e/', verdict: 'block', reason: 'why', legal: 1, created_at: 2 })
  const [link] = await db.read.selectFrom('links').select('removed_expression').execute()
  assert.equal(link?.removed_expression, 'e/')
})

/** Brings a new database to the schema of an older version. */
async function migrateTo(db: DatabaseSync, steps: number): Promise<void> {
  const connection = connect(db, { onChange: () => {}, onFault: () => {} })
  const kysely = createKysely({ acquire: async () => connection, release: async () => {} })
  await migrate(kysely, sqliteMigrations, 'a store', Date.now, migrations.slice(0, steps))
}

test('a folder of a newer version is rejected and not changed, also when that has only added', async (t) => {
  const folder = temporaryFolder(t)
  await (await openDatabase(folder, Date.now)).close()
  const file = join(folder, 'links.db')
  const writer = new DatabaseSync(file)
  writer.exec("insert into migrations values (999, 'from the future', 0, 1)")
  writer.close()
  const before = readFileSync(file)
  await assert.rejects(
    openDatabase(folder, Date.now),
    (error) =>
      error instanceof StartError && /^[^\n]*links\.db was written by a newer quirl \(schema 999/.test(error.message),
  )
  assert.deepEqual(readFileSync(file), before)
})
