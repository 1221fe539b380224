// The bundle of a link whose visits another service has counted.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { verify } from '../src/backup/verify.ts'
import { verifyPostgres } from '../src/nodes/backup/verify.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { startServer, visit, type TestServer } from './support/server.ts'

const tokenIn = (file: string) =>
  parse<{ token: string }>(readFileSync(`${file}.keys.csv`), { columns: true })[0]?.token ?? ''

/** What the details and the statistics of a link say of its visits, also filtered by their source. */
async function countsOf({ url }: TestServer, token: string): Promise<unknown[]> {
  const read = async (path: string) => (await fetch(`${url}/api/manage/${token}${path}`)).json()
  const { totals } = (await read('')) as { totals: unknown }
  return [
    totals,
    ...(await Promise.all(['?days=365', '?days=7&tz=Europe/Berlin'].map((each) => read(`/stats${each}`)))),
  ]
}

for (const store of ['SQLite', 'PostgreSQL'])
  test(`on ${store}, a link that came from another service with its clicks goes on to a third with all of them`, async (t) => {
    const isPostgres = store === 'PostgreSQL'
    if (isPostgres && !requireProgram(t, 'initdb', 'postgresql')) return
    const database = isPostgres ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined
    const [source, target] = [await startServer(t), await startServer(t, database ?? {})]
    const former = join(temporaryFolder(t), 'former.csv')
    writeFileSync(former, 'alias,url,clicks\nmenu,https://example.com/menu,1234\n')
    assert.equal((await command(source.dataDir, 'import', former, '--from=csv')).status, 0)
    await visit(`${source.url}/menu?qr=1`)

    const token = tokenIn(former)
    const file = join(temporaryFolder(t), 'link.zip')
    const bundle = await fetch(`${source.url}/api/manage/${token}/bundle`)
    writeFileSync(file, Buffer.from(await bundle.arrayBuffer()))
    const { stderr, stdout } = await command(target.dataDir, 'import', file, '--from=quirl')
    assert.equal(stderr, '')
    assert.match(stdout, /^1 link created; 1,235 clicks; /)
    const [before, after] = [await countsOf(source, token), await countsOf(target, tokenIn(file))]
    assert.deepEqual(after, before)
    assert.equal((after[0] as { scans: number; qr: number }).scans, 1235)
    assert.equal((after[0] as { scans: number; qr: number }).qr, 1)
    const onStep = () => {}
    const findings = await (database === undefined
      ? verify({ folder: target.dataDir, isBackup: false, onStep })
      : verifyPostgres({ url: database.DATABASE_URL, dataDir: target.dataDir, onStep }))
    assert.deepEqual(
      findings.filter(({ isGood }) => !isGood),
      [],
    )
  })
