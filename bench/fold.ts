// Claim: the fold (flags, raw scans, rollups, positions, exactly once) keeps up with the visits.
import { DatabaseSync } from 'node:sqlite'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openFold } from '../src/scans/sqlite/fold.ts'
import { openJournalFile } from '../src/scans/journal/journal-file.ts'
import type { Scan } from '../src/scans/scan.ts'
import { openSqliteWarehouse } from '../src/scans/sqlite/warehouse.ts'
import { makeScan } from './scans.ts'
import { median, printTable, temporaryFolder } from './support.ts'

const RUNS = 3
const SCANS = 200_000
const BATCH = 50

const shapes = { 'one hot link': 1, '1,500 links': 1500, 'a link per scan': SCANS }
const now = Date.now()
const scansOf = (links: number) => Array.from({ length: SCANS }, (_, at) => makeScan(at, (at % links) + 1, now, false))

/** Scans per second through the fold, in the journal's order. */
async function fold(scans: Scan[]): Promise<number> {
  const folder = temporaryFolder()
  const folders = { journal: join(folder, 'journal'), visitors: join(folder, 'visitors') }
  for (const each of Object.values(folders)) mkdirSync(each)
  const writer = openJournalFile(join(folders.journal, 'x.scans'), false)
  for (let at = 0; at < scans.length; at += BATCH) writer.append(scans.slice(at, at + BATCH))
  writer.close()
  const warehouse = openSqliteWarehouse(join(folder, 'scans.db'))
  const began = performance.now()
  await openFold(warehouse, folders).run(readdirSync(folders.journal), now)
  const rate = scans.length / ((performance.now() - began) / 1000)
  warehouse.close()
  return rate
}

/** Scans per second as plain rows: one table, no index, 2,500 per transaction. */
function plainInserts(scans: Scan[]): number {
  const db = new DatabaseSync(join(temporaryFolder(), 'plain.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = full; create table scans (a, b, c, d, e, f, g, h, i, j, k)')
  const insert = db.prepare('insert into scans values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const began = performance.now()
  for (const [at, scan] of scans.entries()) {
    if (at % 2500 === 0) db.exec(at === 0 ? 'begin' : 'commit; begin')
    const { linkId, source, device, os, browser, country, city, referrer, bot, visitor } = scan
    insert.run(linkId, scan.at, source, device, os, browser, country, city, referrer, bot ? 1 : 0, visitor)
  }
  db.exec('commit')
  const rate = scans.length / ((performance.now() - began) / 1000)
  db.close()
  return rate
}

const rows: Record<string, string | number>[] = []
for (const [name, links] of Object.entries(shapes)) {
  const scans = scansOf(links)
  const plain: number[] = []
  const folded: number[] = []
  for (let run = 0; run < RUNS; run++) {
    plain.push(plainInserts(scans))
    folded.push(await fold(scans))
  }
  const ratio = (median(folded) / median(plain)).toFixed(2)
  rows.push({
    scans: name,
    'folded/s': Math.round(median(folded)),
    'plain inserts/s': Math.round(median(plain)),
    ratio,
  })
}
printTable(`Fold of ${SCANS.toLocaleString('en')} scans, ${RUNS} runs, medians`, rows)
