// Data folders that earlier commits have left (test/fixtures/make.ts), with this version.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { migrations } from '../src/db/migrate.ts'
import { warehouseSchema } from '../src/scans/sqlite/warehouse-schema.ts'
import { command } from './support/cli.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { startServer, visit, type TestServer } from './support/server.ts'

const fixtures = new URL('fixtures/upgrade/', import.meta.url)
const versions = readdirSync(fixtures).toSorted()

interface Links {
  tokens: Record<'menu' | 'card' | 'paused' | 'deleted', string>
  pausedCode: string
}

/** Unpacks the data folder that an earlier version has left. */
function unpack(t: TestContext, version: string): Links & { dataDir: string } {
  const dataDir = join(temporaryFolder(t), 'data')
  mkdirSync(dataDir)
  const folder = new URL(`${version}/`, fixtures)
  for (const file of ['links.db', 'scans.db'])
    writeFileSync(join(dataDir, file), gunzipSync(readFileSync(new URL(`${file}.gz`, folder))))
  return { dataDir, ...(JSON.parse(readFileSync(new URL('links.json', folder), 'utf8')) as Links) }
}

async function manage(server: TestServer, token: string) {
  const response = await fetch(`${server.url}/api/manage/${token}`)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> & { totals: object } }
}

/** The schema of links.db and that of scans.db. */
function schemasOf(dataDir: string): unknown[] {
  const links = new DatabaseSync(join(dataDir, 'links.db'), { readOnly: true })
  const scans = new DatabaseSync(join(dataDir, 'scans.db'), { readOnly: true })
  const schemas = [
    links.prepare('select count(*) as steps from migrations').get()?.['steps'],
    scans.prepare('pragma user_version').get()?.['user_version'],
  ]
  links.close()
  scans.close()
  return schemas
}

for (const version of versions) {
  test(`a data folder of ${version} is migrated, with its links and scans`, async (t) => {
    const { dataDir, tokens, pausedCode } = unpack(t, version)
    const server = await startServer(t, { DATA_DIR: dataDir })
    assert.deepEqual(schemasOf(dataDir), [migrations.length, warehouseSchema])
    const { body: menu } = await manage(server, tokens.menu)
    assert.equal(menu['target'], 'https://example.com/summer')
    assert.equal(menu['title'], 'The menu')
    assert.equal((menu.totals as { scans: number }).scans, 3)
    const { body: card } = await manage(server, tokens.card)
    assert.deepEqual([card['kind'], (card.totals as { scans: number }).scans], ['vcard', 1])
    const { body: paused } = await manage(server, tokens.paused)
    assert.equal(paused['active'], false)
    assert.equal((await manage(server, tokens.deleted)).status, 404)
    const rows = (await (await fetch(`${server.url}/api/manage/${tokens.menu}/scans.csv`)).text()).trim().split(/\r?\n/)
    assert.equal(rows.length, 1 + 3)
    assert.equal(rows.filter((row) => /,qr,/.test(row)).length, 1)

    assert.equal((await visit(`${server.url}/menu`)).headers.get('location'), 'https://example.com/summer')
    assert.equal((await visit(`${server.url}/ada`)).status, 200)
    assert.equal((await visit(`${server.url}/${pausedCode}`)).status, 404)
    assert.equal((await visit(`${server.url}/gone`)).status, 410)
    await poll(async () => ((await manage(server, tokens.menu)).body.totals as { scans: number }).scans === 4)

    await server.stop()
    const { status, stdout } = await command(dataDir, 'verify')
    assert.equal(status, 0, stdout)
  })
}
