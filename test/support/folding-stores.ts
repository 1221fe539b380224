// Stores into which scans are folded by the files of journals, with the keys of visitors of a day.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { openPostgresFoldTarget } from '../../src/nodes/scans/fold-target.ts'
import { suffixOf } from '../../src/nodes/scans/visitor-days.ts'
import { dayOf } from '../../src/scans/calendar.ts'
import { keysFile } from '../../src/scans/describing/visitors.ts'
import type { RawBound } from '../../src/scans/folding/raw-bound.ts'
import { journalFolder } from '../../src/scans/journal/journal-folder.ts'
import { openJournalFile } from '../../src/scans/journal/journal-file.ts'
import type { Scan } from '../../src/scans/scan.ts'
import { openFold } from '../../src/scans/sqlite/fold.ts'
import { openSqliteWarehouse } from '../../src/scans/sqlite/warehouse.ts'
import { makeFolders, NOW } from './fold-folders.ts'
import { openNode, openShared } from './shared-folds.ts'

const countReferrers = "count(*) filter (where text like '%.example') as referrers"

/** What a store has counted of a link: visitors, and people among them. */
type Counted = [visitors: number, people: number]

export interface FoldingStore {
  /** Folds these scans; the store may fold them in parts, by several nodes, and be opened anew in between. */
  fold: (scans: Scan[], bound?: RawBound) => Promise<void>
  countedOf: (linkId: number) => Promise<Counted>
  /** How many keys of visitors and people, and referrers, it has. */
  rows: () => Promise<{ keys: number; referrers: number }>
}

const counted = 'human_firsts + bot_firsts as visitors, human_firsts - people_again as people'
const read = (row: Record<string, unknown> | undefined): Counted => [Number(row?.['visitors']), Number(row?.['people'])]

function openSqlite(t: TestContext): FoldingStore {
  const folders = makeFolders(t)
  let number = 0
  return {
    async fold(scans, bound) {
      const writer = openJournalFile(join(folders.journal, `${++number}.scans`), false)
      for (const each of scans) writer.append([each])
      writer.close()
      const warehouse = openSqliteWarehouse(folders.warehouse, undefined, bound)
      const fold = openFold(warehouse, folders, undefined, () => 7)
      await fold.run(readdirSync(folders.journal), NOW)
      await fold.close()
      warehouse.close()
    },
    async countedOf(linkId) {
      const warehouse = openSqliteWarehouse(folders.warehouse)
      const row = warehouse.db.prepare(`select ${counted} from totals where link_id = ?`).get(linkId)
      warehouse.close()
      return read(row)
    },
    async rows() {
      const day = new DatabaseSync(keysFile(folders.visitors, dayOf(NOW)))
      const [{ keys }] = day
        .prepare('select (select count(*) from seen) + (select count(*) from people) as keys')
        .all() as [{ keys: number }]
      day.close()
      const warehouse = openSqliteWarehouse(folders.warehouse)
      const [{ referrers }] = warehouse.db.prepare(`select ${countReferrers} from dictionary`).all() as [
        { referrers: number },
      ]
      warehouse.close()
      return { keys, referrers }
    },
  }
}

async function openPostgres(t: TestContext): Promise<FoldingStore | undefined> {
  const session = await openShared(t, 3)
  if (session === undefined) return undefined
  const nodes = [openNode(t, session, 7), openNode(t, session, 7)] as const
  return {
    async fold(scans, bound) {
      // Both have some of each address, and fold at the same time.
      nodes.forEach(({ write }, node) => write(scans.filter((_, at) => at % 2 === node)))
      await Promise.all(
        nodes.map((node) => node.fold(openPostgresFoldTarget(session, journalFolder(node.path), bound))),
      )
    },
    async countedOf(linkId) {
      const [row] = await session.query(`select ${counted} from quirl_scans.totals where link_id = $1`, [linkId])
      return read(row)
    },
    async rows() {
      const day = suffixOf(dayOf(NOW))
      const [row] = await session.query<{ keys: number; referrers: number }>(
        `select (select count(*) from quirl_visitors.keys_${day}) + (select count(*) from quirl_visitors.people_${day}) as keys,
           (select ${countReferrers} from quirl_scans.dictionary)`,
      )
      return { keys: Number(row?.keys), referrers: Number(row?.referrers) }
    },
  }
}

/** Each undefined if the test is skipped because the server is not installed. */
export const foldingStores = [
  ['SQLite', openSqlite],
  ['PostgreSQL, with two nodes', openPostgres],
] as const
