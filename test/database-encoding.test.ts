// Databases that PostgreSQL keeps in another encoding than UTF-8.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { outcomeOf } from '../src/main.ts'
import { fillStore, rowsOf } from './support/filled-stores.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { addressOf, startPostgres, urlOf, type PostgresServer } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { create, startServer, visit } from './support/server.ts'

const ending = endOfFile()
let server: Promise<PostgresServer> | undefined
let databases = 0

/** A database that was created by such a statement, which has a place for its name. */
async function createdBy(statement: (name: string) => string): Promise<{ name: string; url: string }> {
  const running = await (server ??= startPostgres(ending))
  const name = `encoded_${++databases}`
  await running.execute(statement(name))
  return { name, url: urlOf(addressOf(running, name)) }
}

const inEncoding = (encoding: string) =>
  createdBy((name) => `create database ${name} encoding '${encoding}' locale 'C' template template0`)

const isInstalled = (t: TestContext) => requireProgram(t, 'initdb', 'postgresql')

async function tablesOf(name: string): Promise<unknown[]> {
  const tables = `select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`
  return (await (await server)?.execute(tables, name))?.rows ?? []
}

/** What a start or a command says: one line that names the encoding, and the statement that creates a database. */
async function assertRefused(line: string, encoding: string): Promise<void> {
  assert.match(line, new RegExp(`^[^\\n]*its encoding is ${encoding}[^\\n]*\\n?$`))
  const statement = /CREATE DATABASE quirl .*$/m.exec(line)?.[0] ?? ''
  const { name } = await createdBy((each) => statement.replace('quirl', each))
  const rows = (await (await server)?.execute('show server_encoding', name))?.rows
  assert.deepEqual(rows, [{ server_encoding: 'UTF8' }])
}

for (const encoding of ['LATIN1', 'SQL_ASCII', 'EUC_JP']) {
  test(`a database in ${encoding} is refused with one line that says how to create one, and gets no table`, async (t) => {
    if (!isInstalled(t)) return
    const { name, url } = await inEncoding(encoding)
    const dataDir = temporaryFolder(t)
    const said = await startServer(t, { DATABASE_URL: url, DATA_DIR: dataDir }).then(
      () => 'it started',
      (error: Error) => error.message,
    )
    await assertRefused(said, encoding)
    const node = temporaryFolder(t)
    await fillStore(node, seededRandom(t), 1)
    const service = await startServer(t, { DATA_DIR: node })
    await service.stop()
    for (const args of [
      ['migrate', `--from=${node}`, `--to=${url}`],
      ['journal', 'adopt', node, `--database-url=${url}`],
    ]) {
      const { status, stderr } = await outcomeOf(args)
      assert.equal(status, 1)
      await assertRefused(stderr, encoding)
    }
    const { stdout } = await command(dataDir, 'doctor', `--database-url=${url}`)
    await assertRefused(/^FAULT +PostgreSQL .*$/m.exec(stdout)?.[0] ?? stdout, encoding)
    assert.deepEqual(await tablesOf(name), [])
  })
}

/** A database with a store that an earlier version has begun in it. */
async function storeIn(t: TestContext, encoding: string) {
  const [good, bad] = [await inEncoding('UTF8'), await inEncoding(encoding)]
  const service = await startServer(t, { DATABASE_URL: good.url })
  const { code } = await create(service, { target: 'https://example.com/', title: 'Zürich' })
  await visit(`${service.url}/${code}`)
  await service.services.scans.fold()
  await service.stop()
  dump(good.url, bad.url)
  return { code, ...bad }
}

/** Copies a store as docs/trouble.md says. */
function dump(from: string, to: string): void {
  const copied = spawnSync('sh', [
    '-c',
    'pg_dump --encoding=UTF8 "$0" | psql --quiet --set=ON_ERROR_STOP=1 "$1"',
    from,
    to,
  ])
  assert.equal(copied.status, 0, copied.stderr.toString())
}

for (const encoding of ['LATIN1', 'SQL_ASCII']) {
  test(`a store in ${encoding} comes out of it, by a dump and by "quirl migrate"`, async (t) => {
    if (!isInstalled(t) || !requireProgram(t, 'pg_dump', 'postgresql-client')) return
    const { code, url } = await storeIn(t, encoding)
    const verified = await outcomeOf(['verify', `--database-url=${url}`, '--data-dir=/nonexistent'])
    assert.equal(verified.status, 1)
    assert.match(verified.stdout, new RegExp(`^encoding +BAD +its encoding is ${encoding}`, 'm'))

    const folder = join(temporaryFolder(t), 'moved')
    const moved = await outcomeOf(['migrate', `--from=${url}`, `--to=${folder}`])
    assert.equal(moved.status, 0, moved.stderr)
    assert.match(String(rowsOf(join(folder, 'links.db'))['links']), /Zürich/)

    const next = await inEncoding('UTF8')
    await (await server)?.execute('drop schema quirl_moving cascade', /encoded_\d+/.exec(url)?.[0])
    dump(url, next.url)
    const service = await startServer(t, { DATABASE_URL: next.url })
    assert.equal((await visit(`${service.url}/${code}`)).status, 302)
    await create(service, { target: 'https://example.com/', title: '世界' })
  })
}
