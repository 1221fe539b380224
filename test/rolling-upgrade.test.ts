// A node of the release before on a database that a newer one has migrated.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect } from '#kysely'
import pg from 'pg'
import { undoLater } from './support/cleanup.ts'
import { createDatabase } from './support/drivers.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, put, startServer, visit } from './support/server.ts'
import { StartError } from '../src/lib/start-error.ts'
import { migrate, migrations } from '../src/db/migrate.ts'
import type { Migration } from '../src/db/migrations/migration.ts'
import { openPostgres } from '../src/nodes/database/database.ts'
import { postgresMigrations } from '../src/nodes/database/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

const target = 'https://example.com/'

/** Only adds: the release before does not know it, and goes on writing. */
const addition: Migration = {
  name: 'addition',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('links').addColumn('colour', 'text').execute()
    await db.schema.alterTable('revisions').addColumn('colour', 'text').execute()
    await db.schema
      .createTable('colours')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .execute()
  },
}

/** Changes what is there: only a node that knows it may use the database. */
const change: Migration = {
  name: 'change',
  async up(db) {
    await db.schema.alterTable('links').renameColumn('title', 'heading').execute()
  },
}

test('a node goes on serving while a newer one migrates the database, and starts on it again unless more was changed than added', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const address = await createDatabase()
  const url = urlOf(address)
  const node = await startServer(t, { DATABASE_URL: url })
  const before = await create(node, { target })
  const over = new AbortController()
  let answered = 0
  undoLater(t, () => over.abort())
  const load = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const link = await create(node, { target })
      const response = await visit(`${node.url}/${link.code}`)
      assert.equal(response.headers.get('location'), target)
      assert.equal((await put(`${node.url}/api/manage/${link.token}`, { title: 'changed' })).status, 200)
      answered++
      await sleep(5)
    }
  })
  const served = Promise.all(load)
  served.catch(() => {})
  const newer = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 1 }) }) })
  undoLater(t, () => newer.destroy())
  await migrate(newer, postgresMigrations, 'a database', Date.now, [...migrations, addition])
  const migrated = answered
  // A client that fails ends the wait.
  await Promise.race([served, poll(() => answered >= migrated + 20)])
  over.abort()
  await served
  assert.equal((await visit(`${node.url}/${before.code}`)).headers.get('location'), target)
  assert.equal((await put(`${node.url}/api/manage/${before.token}`, { target: `${target}2` })).status, 200)

  const again = await startServer(t, { DATABASE_URL: url })
  assert.equal((await visit(`${again.url}/${before.code}`)).headers.get('location'), `${target}2`)
  await visit(`${again.url}/${(await create(again, { target })).code}`)

  await migrate(newer, postgresMigrations, 'a database', Date.now, [...migrations, addition, change])
  await assert.rejects(openPostgres({ url, max: 2 }, Date.now), (error: unknown) => {
    assert.ok(error instanceof StartError)
    assert.match(
      error.message,
      /^the database of DATABASE_URL was written by a newer quirl \(schema \d+, this one knows \d+\): start that one$/,
    )
    return true
  })
})
