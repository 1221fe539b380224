// How the cost of a look-up and of a creation grows with the number of links, on the embedded store and on PostgreSQL (without
// fsync). The smallest number is the baseline. LINKS=100000,1000000,10000000 needs 15 GB in the system's folder for temporary files.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { openDatabase } from '../src/db/open.ts'
import { openPostgres } from '../src/nodes/database/database.ts'
import { createVisitedOf } from '../src/links/visited.ts'
import { addressOf, startPostgres, urlOf } from '../test/support/postgres.ts'
import { creationScript, median, printTable, serveQuirl, temporaryFolder, wrk, type Served } from './support.ts'

const sizes = (process.env['LINKS'] ?? '100000,1000000,10000000').split(',').map(Number)
const RUNS = 3
const SECONDS = 5
const LOOK_UPS = 20_000

interface Store {
  name: string
  /** Adds links with the numbers from `from` to `to`, both included. */
  fill: (from: number, to: number) => Promise<void>
  /** Looks links up, one after the other. @returns microseconds for each */
  lookUp: (codes: string[]) => Promise<number>
  serve: () => Promise<Served>
  /** Bytes of a link and its part of the indexes. */
  bytes: () => Promise<number>
}

const columns =
  'code_key, code, token_hash, kind, target, payload, title, utm, active, revision, created_at, updated_at'
const values = (i: string, token: string) =>
  `'n-' || ${i}, 'n-' || ${i}, ${token}, 'url', 'https://example.com/some/path/of/a/shop/' || ${i}, '{}', 'A title', '{}', 1, 1, ${i}, ${i}`

function openSqliteStore(): Store {
  const dataDir = temporaryFolder()
  const file = join(dataDir, 'links.db')
  return {
    name: 'embedded store',
    async fill(from, to) {
      await (await openDatabase(dataDir, Date.now)).close()
      const db = new DatabaseSync(file)
      db.exec(`pragma synchronous = off; pragma cache_size = -2000000; begin;
        with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
          insert into links (${columns}) select ${values('i', 'hex(randomblob(32))')} from n;
        commit; pragma wal_checkpoint(truncate)`)
      db.close()
    },
    async lookUp(codes) {
      const db = await openDatabase(dataDir, Date.now)
      const find = createVisitedOf(db)
      const each = await timeOf(codes, find)
      await db.close()
      return each
    },
    serve: () => serveQuirl(dataDir),
    bytes: async () => statSync(file).size,
  }
}

async function openPostgresStore(works: (() => Promise<void> | void)[]): Promise<Store> {
  const server = await startPostgres({ after: (work) => void works.push(work) })
  await server.execute('create database bench')
  const address = addressOf(server, 'bench')
  const client = new pg.Client(address)
  await client.connect()
  works.push(() => client.end())
  return {
    name: 'PostgreSQL',
    async fill(from, to) {
      await (await openPostgres({ url: urlOf(address), max: 1 }, Date.now)).close()
      await client.query(`insert into links (${columns}) select ${values('i', "encode(sha256(i::text::bytea), 'hex')")}
        from generate_series(${from}::bigint, ${to}::bigint) as i`)
      await client.query('vacuum analyze links')
      await client.query('checkpoint')
    },
    async lookUp(codes) {
      const db = await openPostgres({ url: urlOf(address), max: 1 }, Date.now)
      const each = await timeOf(codes, createVisitedOf(db))
      await db.close()
      return each
    },
    serve: () => serveQuirl(temporaryFolder(), `--database-url=${urlOf(address)}`),
    async bytes() {
      const { rows } = await client.query<{ bytes: string }>(`select pg_total_relation_size('links') as bytes`)
      return Number(rows[0]?.bytes)
    },
  }
}

async function timeOf(codes: string[], find: ReturnType<typeof createVisitedOf>): Promise<number> {
  const began = performance.now()
  for (const code of codes) {
    const found = find(code)
    const link = found instanceof Promise ? await found : found
    if (link === undefined) throw new Error(`${code} was not found`)
  }
  return ((performance.now() - began) * 1000) / codes.length
}

interface Measured {
  lookUp: number
  creations: number
  bytes: number
}

async function measure(store: Store, links: number): Promise<Measured> {
  const bytes = (await store.bytes()) / links
  const codes = Array.from({ length: LOOK_UPS }, () => `n-${1 + Math.floor(Math.random() * links)}`)
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) times.push(await store.lookUp(codes))
  const served = await store.serve()
  const rates: number[] = []
  for (let run = 0; run < RUNS; run++)
    rates.push(wrk(`${served.url}/api/links`, SECONDS, creationScript()).requestsPerSecond)
  await served.stop()
  return { bytes, lookUp: median(times), creations: median(rates) }
}

const works: (() => Promise<void> | void)[] = []
const stores = [openSqliteStore(), await openPostgresStore(works)]
const rows: Record<string, string | number>[] = []
for (const store of stores) {
  let filled = 0
  let first: Measured | undefined
  for (const links of sizes) {
    await store.fill(filled + 1, links)
    filled = links
    const measured = await measure(store, links)
    first ??= measured
    rows.push({
      store: store.name,
      links: links.toLocaleString('en'),
      'µs of a look-up': measured.lookUp.toFixed(1),
      'look-up ratio': (measured.lookUp / first.lookUp).toFixed(2),
      'creations a second': measured.creations.toFixed(0),
      'creation ratio': (measured.creations / first.creations).toFixed(2),
      'bytes of a link': measured.bytes.toFixed(0),
    })
  }
}
printTable(`Growth: ${LOOK_UPS} random look-ups, one after the other; creations by 64 connections`, rows)
for (const work of works.toReversed()) await work()
