import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createReading, type Reading } from '../../src/scans/reading.ts'
import type { FoldedScan } from '../../src/scans/scan.ts'
import { openRowQueries } from '../../src/scans/sqlite/row-queries.ts'
import { openWarehouse } from '../../src/scans/warehouse.ts'
import { temporaryFolder, undoLater } from './cleanup.ts'

/** A store of folded scans. */
export interface ScanStore extends Reading {
  add: (scans: FoldedScan[]) => Promise<void>
}

/** Opens an empty store of one kind; undefined if the test is skipped because the server is not installed. */
export interface ScanStoreDriver {
  name: string
  open: (t: TestContext) => Promise<ScanStore | undefined>
}

/** The stores in which statistics must be the same. */
export const scanStores: ScanStoreDriver[] = [{ name: 'SQLite', open: openSqlite }]

async function openSqlite(t: TestContext): Promise<ScanStore> {
  const warehouse = openWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  let position = 0
  return {
    ...createReading(openRowQueries(warehouse)),
    async add(scans) {
      warehouse.add(scans, { journal: 'x', position: ++position, lost: 0, isDamaged: false })
    },
  }
}

/** Adds scans as folds do. */
export async function fill({ add }: ScanStore, scans: FoldedScan[]): Promise<void> {
  for (let at = 0; at < scans.length; at += 1000) await add(scans.slice(at, at + 1000))
}
