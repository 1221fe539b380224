import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createStatisticsCalls, type StatisticsCalls } from '../../src/scans/statistics/calls.ts'
import type { FoldedScan } from '../../src/scans/scan.ts'
import { openRowQueries as openSqliteQueries } from '../../src/scans/sqlite/row-queries.ts'
import { openPostgresSession } from '../../src/nodes/database/session.ts'
import { openPostgresDictionary } from '../../src/nodes/scans/dictionary.ts'
import { writeScans } from '../../src/nodes/scans/fold-target.ts'
import { migrateScans } from '../../src/nodes/scans/migrations.ts'
import { openPartitions } from '../../src/nodes/scans/partitions.ts'
import { writeRollups } from '../../src/nodes/scans/rollup-writer.ts'
import { openRowQueries } from '../../src/nodes/scans/row-queries.ts'
import { openSqliteWarehouse } from '../../src/scans/sqlite/warehouse.ts'
import { temporaryFolder, undoLater } from './cleanup.ts'
import { createDatabase } from './drivers.ts'
import { urlOf } from './postgres.ts'
import { requireProgram } from './programs.ts'

/** A warehouse on its own, without a recorder. */
export interface TestWarehouse extends StatisticsCalls {
  add: (scans: FoldedScan[]) => Promise<void>
}

/** Opens an empty one of one kind; undefined if the test is skipped because the server is not installed. */
export interface WarehouseDriver {
  name: string
  open: (t: TestContext) => Promise<TestWarehouse | undefined>
}

/** The warehouses in which statistics must be the same. */
export const warehouses: WarehouseDriver[] = [
  { name: 'SQLite', open: openSqlite },
  { name: 'PostgreSQL', open: openPostgres },
]

async function openSqlite(t: TestContext): Promise<TestWarehouse> {
  const warehouse = openSqliteWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  let position = 0
  return {
    ...createStatisticsCalls(openSqliteQueries(warehouse)),
    async add(scans) {
      warehouse.add(scans, { journal: 'x', position: ++position, lost: 0, isDamaged: false })
    },
  }
}

async function openPostgres(t: TestContext): Promise<TestWarehouse | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const session = openPostgresSession({ url: urlOf(await createDatabase()), max: 3 })
  undoLater(t, () => session.close())
  await migrateScans(session)
  const dictionary = openPostgresDictionary(session.query)
  const partitions = openPartitions(session)
  return {
    ...createStatisticsCalls(openRowQueries(session.query, 'a folder')),
    async add(scans) {
      await partitions.prepare(scans)
      const idsOf = await dictionary.prepare(scans)
      await session.transaction(async (query, copy) => writeRollups(query, await writeScans(copy, scans, idsOf)))
    },
  }
}

/** Adds scans as folds do. */
export async function fill({ add }: TestWarehouse, scans: FoldedScan[]): Promise<void> {
  for (let at = 0; at < scans.length; at += 1000) await add(scans.slice(at, at + 1000))
}
