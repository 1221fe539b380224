// What responses say while scans that were recorded before them are not in the statistics.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { createDatabase } from './support/drivers.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, visit, type Created } from './support/server.ts'

/** A warehouse that the test keeps from being written, while it can be read. */
interface Stalled {
  env: Record<string, string>
  stall: () => Promise<void>
  goOn: () => Promise<void>
}

async function sqlite(t: TestContext): Promise<Stalled> {
  const DATA_DIR = temporaryFolder(t)
  let db: DatabaseSync | undefined
  undoLater(t, () => db?.close())
  return {
    env: { DATA_DIR },
    async stall() {
      db ??= new DatabaseSync(join(DATA_DIR, 'scans.db'), { timeout: 5000 })
      db.exec('begin immediate')
    },
    goOn: async () => db?.exec('rollback'),
  }
}

async function shared(t: TestContext): Promise<Stalled | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const address = await createDatabase()
  const client = new pg.Client({ ...address })
  await client.connect()
  undoLater(t, () => client.end())
  return {
    env: { DATABASE_URL: urlOf(address) },
    async stall() {
      await client.query('begin')
      await client.query('lock table quirl_scans.totals in exclusive mode')
    },
    goOn: async () => void (await client.query('rollback')),
  }
}

/** What each response that reads scans says about its lateness. */
async function asOfEach(url: string, { token }: Created): Promise<Record<string, unknown>> {
  const owned = `${url}/api/manage/${token}`
  const field = async (response: Response) => ((await response.json()) as { as_of?: string }).as_of ?? null
  const header = async (response: Response) => {
    await response.arrayBuffer()
    return response.headers.get('quirl-as-of')
  }
  return {
    details: await field(await fetch(owned)),
    change: await field(await put(owned, { title: String(Math.random()) })),
    statistics: await field(await fetch(`${owned}/stats`)),
    many: await field(await post(`${url}/api/stats`, { tokens: [token] })),
    scans: await header(await fetch(`${owned}/scans.csv`)),
    bundle: await header(await fetch(`${owned}/bundle`)),
  }
}

const each = (time: string | null) => ({
  details: time,
  change: time,
  statistics: time,
  many: time,
  scans: time,
  bundle: time,
})

for (const [name, open] of [
  ['SQLite', sqlite],
  ['PostgreSQL', shared],
] as const) {
  test(`details, statistics and exports say since when scans are missing: since the oldest of them (${name})`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    let now = Date.UTC(2026, 5, 1, 12)
    const monotonic = () => performance.now()
    const server = await startServer(t, store.env, () => now, { foldWaitMs: 100, monotonic })
    const link = await create(server, { target: 'https://example.com/' })
    const go = async () => {
      await visit(`${server.url}/${link.code}`, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' })
      now += 60_000
      return new Date(now - 60_000).toISOString()
    }
    await go()
    await server.services.scans.fold()
    assert.deepEqual(await asOfEach(server.url, link), each(null))

    await store.stall()
    // Nothing is missing yet, whatever becomes of the fold.
    assert.deepEqual(await asOfEach(server.url, link), each(null))
    const oldest = await go()
    await go()
    assert.deepEqual(await asOfEach(server.url, link), each(oldest))
    await go()
    assert.deepEqual(await asOfEach(server.url, link), each(oldest))

    await store.goOn()
    await poll(async () => (await asOfEach(server.url, link))['details'] === null)
    const { totals } = (await (await fetch(`${server.url}/api/manage/${link.token}`)).json()) as {
      totals: { scans: number }
    }
    assert.equal(totals.scans, 4)
    assert.deepEqual(await asOfEach(server.url, link), each(null))
  })
}

test('while the folder of the journal is away, scans of any time may be missing: responses say the time of the request', async (t) => {
  const dataDir = temporaryFolder(t)
  const now = Date.UTC(2026, 5, 1, 12)
  const options = { foldWaitMs: 100, monotonic: () => performance.now() }
  const server = await startServer(t, { DATA_DIR: dataDir }, () => now, options)
  const link = await create(server, { target: 'https://example.com/' })
  renameSync(join(dataDir, 'journal'), join(dataDir, 'away'))
  assert.deepEqual(await asOfEach(server.url, link), each(new Date(now).toISOString()))
  renameSync(join(dataDir, 'away'), join(dataDir, 'journal'))
  await poll(async () => (await asOfEach(server.url, link))['details'] === null)
})
