// Claim: a fold into PostgreSQL (keys of visitors, raw scans, rollups, positions, exactly once) writes at least a tenth of the rows
// that COPY writes into one bare table in the same time. A row that several transactions add to counts once. PostgreSQL runs on this
// machine, without fsync.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '../src/db/postgres/database.ts'
import { usualTimes } from '../src/db/postgres/pool.ts'
import { openPostgresSession } from '../src/db/postgres/session.ts'
import { createFold } from '../src/scans/folding/fold.ts'
import { openJournalFile } from '../src/scans/journal/journal-file.ts'
import { journalFolder } from '../src/scans/journal/journal-folder.ts'
import { openSharedTarget } from '../src/scans/postgres/fold-target.ts'
import { migrateScans } from '../src/scans/postgres/migrations.ts'
import type { Scan } from '../src/scans/scan.ts'
import { addressOf, startPostgres, urlOf } from '../test/support/postgres.ts'
import { makeScan } from './scans.ts'
import { median, printTable, temporaryFolder } from './support.ts'

const RUNS = 3
const BATCH = 50

/** How many scans of how many links. */
const shapes = {
  'one hot link': { scans: 100_000, links: 1 },
  '1,500 links': { scans: 30_000, links: 1500 },
  'a link per scan': { scans: 20_000, links: 20_000 },
}
const now = Date.now()
const works: (() => Promise<void> | void)[] = []
const server = await startPostgres({ after: (work) => void works.push(work) })
let databases = 0

async function openNew() {
  const database = `bench_${++databases}`
  await server.execute(`create database ${database}`)
  const url = urlOf(addressOf(server, database))
  await (await openPostgres({ url, max: 1 }, Date.now)).close()
  const session = openPostgresSession({ url, max: 3, times: { ...usualTimes, statementMs: 60_000 } })
  await migrateScans(session)
  return { database, session }
}

/** Scans and rows per second through the fold, in the journal's order. */
async function fold(scans: Scan[], links: number): Promise<{ scans: number; rows: number }> {
  const { session } = await openNew()
  await session.query(
    `insert into links (id, code_key, code, token_hash, kind, target, payload, title, utm, active, revision, created_at, updated_at)
     select i, 'c' || i, 'c' || i, 't' || i, 'url', 'https://example.com', '{}', null, '{}', 1, 1, 0, 0 from generate_series(1, $1::integer) i`,
    [links],
  )
  await session.query('vacuum analyze links')
  const path = join(temporaryFolder(), 'journal')
  mkdirSync(path)
  const writer = openJournalFile(join(path, 'x.scans'), false)
  for (let at = 0; at < scans.length; at += BATCH) writer.append(scans.slice(at, at + BATCH))
  writer.close()
  const began = performance.now()
  const { moved } = await createFold(openSharedTarget(session, journalFolder(path)), path).run(
    readdirSync(path).filter((name) => name.endsWith('.scans')),
    now,
  )
  const seconds = (performance.now() - began) / 1000
  await session.query('analyze')
  const [counted] = await session.query<{ rows: number }>(
    `select sum(reltuples)::integer as rows from pg_class join pg_namespace n on n.oid = relnamespace
     where relkind = 'r' and nspname in ('quirl_scans', 'quirl_visitors')`,
  )
  await session.close()
  return { scans: moved / seconds, rows: (counted?.rows ?? 0) / seconds }
}

/** Scans per second through COPY: one table, no index. */
async function copy(scans: Scan[]): Promise<number> {
  const { database, session } = await openNew()
  await session.query(
    'create table plain (link_id bigint, at bigint, a text, b text, c text, d text, e text, f text, g text, bot boolean, visitor bigint)',
  )
  const lines = scans.map(({ linkId, at, source, device, os, browser, country, city, referrer, bot, visitor }) =>
    [linkId, at, source, device, os, browser, country, city, referrer, bot, visitor]
      .map((value) => value ?? '\\N')
      .join('\t'),
  )
  const input = `copy plain from stdin;\n${lines.join('\n')}\n\\.\n`
  const began = performance.now()
  const { status, stderr } = spawnSync('psql', ['-q', '-h', server.host, '-U', server.user, '-d', database], {
    input,
    encoding: 'utf8',
  })
  const seconds = (performance.now() - began) / 1000
  if (status !== 0) throw new Error(stderr)
  await session.close()
  return scans.length / seconds
}

const rows: Record<string, string | number>[] = []
for (const [shape, { scans: count, links }] of Object.entries(shapes)) {
  const scans = Array.from({ length: count }, (_, at) => makeScan(at, (at % links) + 1, now, false))
  const [copied, folded]: [number[], { scans: number; rows: number }[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    copied.push(await copy(scans))
    folded.push(await fold(scans, links))
  }
  const rowRate = median(folded.map((each) => each.rows))
  rows.push({
    shape,
    scans: count,
    'COPY rows/s': Math.round(median(copied)),
    'fold rows/s': Math.round(rowRate),
    ratio: (rowRate / median(copied)).toFixed(2),
    bound: '0.10',
    'fold scans/s': Math.round(median(folded.map((each) => each.scans))),
  })
}
printTable(`The fold of scans into PostgreSQL against COPY, medians of ${RUNS} alternating runs`, rows)
for (const work of works.toReversed()) await work()
