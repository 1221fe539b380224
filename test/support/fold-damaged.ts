import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './cleanup.ts'
import type { Fold } from '../../src/scans/folding/fold.ts'
import { openFold, type Folders } from '../../src/scans/sqlite/fold.ts'
import { openJournalFile } from '../../src/scans/journal/journal-file.ts'
import { createStatisticsCalls } from '../../src/scans/statistics/calls.ts'
import type { Scan } from '../../src/scans/scan.ts'
import { openRowQueries } from '../../src/scans/sqlite/row-queries.ts'
import { openSqliteWarehouse, type SqliteWarehouse } from '../../src/scans/sqlite/warehouse.ts'
import { noValues } from './no-values.ts'

export const NOW = Date.UTC(2026, 10, 20, 12)

/** A scan that its city identifies. */
export const scan = (linkId: number, city: string): Scan => ({
  ...noValues,
  linkId,
  at: NOW,
  source: 'qr',
  device: 'mobile',
  os: 'iOS',
  browser: 'Safari',
  country: 'DE',
  city,
  referrer: 'direct',
  bot: false,
  answer: null,
  visitor: null,
})

export interface Opened extends Folders {
  warehouse: SqliteWarehouse
  fold: Fold
}

export function open(
  t: TestContext,
  wrap: (warehouse: SqliteWarehouse) => SqliteWarehouse = (warehouse) => warehouse,
): Opened {
  const root = temporaryFolder(t)
  const folders = { journal: join(root, 'journal'), visitors: join(root, 'visitors') }
  mkdirSync(folders.journal)
  mkdirSync(folders.visitors)
  const warehouse = openSqliteWarehouse(join(root, 'scans.db'))
  // Chunks of a few scans, so that there is damage before, at and after their borders.
  const fold = openFold(wrap(warehouse), folders, undefined, () => 5)
  undoLater(t, () => {
    fold.close()
    warehouse.close()
  })
  return { ...folders, warehouse, fold }
}

/** Writes a journal file with one line for each batch of cities. */
export function write(folder: string, name: string, linkId: number, batches: string[][]): Buffer {
  const writer = openJournalFile(join(folder, name), false)
  for (const cities of batches) writer.append(cities.map((city) => scan(linkId, city)))
  writer.close()
  return readFileSync(join(folder, name))
}

export async function citiesOf(warehouse: SqliteWarehouse, linkId: number): Promise<string[]> {
  const { text: csv } = await createStatisticsCalls(openRowQueries(warehouse)).exportPage(
    { name: 'scans', linkId },
    [],
    1000,
  )
  return csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(',')[6] ?? '')
}
