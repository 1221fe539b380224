// Claims: reading the statistics of a link with 5,000,000 of 10,000,000 scans takes milliseconds, and a scan takes little disk.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createStatisticsCalls } from '../src/scans/statistics/calls.ts'
import type { FoldedScan } from '../src/scans/scan.ts'
import { openRowQueries } from '../src/scans/sqlite/row-queries.ts'
import { openSqliteWarehouse, type SqliteWarehouse } from '../src/scans/sqlite/warehouse.ts'
import { makeScan } from './scans.ts'
import { median, printTable, temporaryFolder } from './support.ts'

const SCANS = Number(process.env['SCANS'] ?? 10_000_000)
const OTHER_LINKS = 1500
const DAYS = 365
const CHUNK = 10_000
const RUNS = 15

const now = Date.UTC(2026, 10, 21, 18)
const file = join(temporaryFolder(), 'scans.db')

/** Every second scan is of link 1, the others of many links. All are spread over a year, in order. */
function fill(warehouse: SqliteWarehouse): void {
  const step = (DAYS * 86_400_000) / SCANS
  for (let from = 0; from < SCANS; from += CHUNK) {
    const scans: FoldedScan[] = Array.from({ length: Math.min(CHUNK, SCANS - from) }, (_, index) => {
      const at = from + index
      const linkId = at % 2 === 0 ? 1 : 2 + ((at >>> 1) % OTHER_LINKS)
      const time = Math.floor(now - DAYS * 86_400_000 + at * step)
      return { ...makeScan(at, linkId, time, linkId === 1), first: at % 5 === 0 }
    })
    warehouse.add(scans, { journal: 'bench', position: from + scans.length, lost: 0, isDamaged: false })
  }
  warehouse.db.exec('pragma wal_checkpoint(truncate)')
}

const filling = openSqliteWarehouse(file)
fill(filling)
filling.close()

const rows = []
for (const days of [30, 365]) {
  const opened = openSqliteWarehouse(file)
  const { stats } = createStatisticsCalls(openRowQueries(opened))
  const times: number[] = []
  for (let run = 0; run <= RUNS; run++) {
    const began = performance.now()
    await stats(1, { days, timeZone: 'UTC', audience: 'all' }, now)
    times.push(performance.now() - began)
  }
  opened.close()
  const [first = Number.NaN, ...further] = times
  const p50 = median(further)
  rows.push({ days, 'p50 ms': p50.toFixed(1), 'first call ms': first.toFixed(1), ratio: (first / p50).toFixed(1) })
}
printTable(`Statistics of a link with ${(SCANS / 2).toLocaleString('en')} of ${SCANS.toLocaleString('en')} scans`, rows)
console.log(`\n${(statSync(file).size / SCANS).toFixed(1)} bytes on disk per scan, rollups and indexes included`)
