// Folds of nodes into one PostgreSQL.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connectPostgres } from '../../src/nodes/database/database.ts'
import { openPostgresSession, type PostgresSession } from '../../src/nodes/database/session.ts'
import { createFold } from '../../src/scans/folding/fold.ts'
import { openJournalFile } from '../../src/scans/journal/journal-file.ts'
import { journalFolder } from '../../src/scans/journal/journal-folder.ts'
import { openPostgresFoldTarget } from '../../src/nodes/scans/fold-target.ts'
import { postgresWarehouse } from '../../src/nodes/scans/open.ts'
import { migrateScans } from '../../src/nodes/scans/migrations.ts'
import type { Scan } from '../../src/scans/scan.ts'
import type { OpenWarehouse } from '../../src/scans/warehouse.ts'
import { temporaryFolder, undoLater } from './cleanup.ts'
import { createDatabase } from './drivers.ts'
import { makeFolders, NOW } from './fold-folders.ts'
import { urlOf } from './postgres.ts'
import { requireProgram } from './programs.ts'

/** A database with the links 1 to `links`; undefined if the test is skipped. */
export async function openShared(t: TestContext, links: number): Promise<PostgresSession | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const session = openPostgresSession({ url: urlOf(await createDatabase()), max: 8 })
  undoLater(t, () => session.close())
  await migrateScans(session)
  await insertLinks(session, links)
  return session
}

interface NodeWarehouse {
  dataDir: string
  openWarehouse: OpenWarehouse
  /** Runs SQL on its database. */
  run: (sql: string) => Promise<unknown>
}

/** What opens the warehouse of a node, with the links 1 to 3. */
export async function makePostgres(t: TestContext): Promise<NodeWarehouse> {
  const dataDir = temporaryFolder(t)
  const url = urlOf(await createDatabase())
  const db = connectPostgres({ url, max: 2 })
  undoLater(t, () => db.close())
  const session = openPostgresSession({ url, max: 1 })
  await insertLinks(session, 3).finally(session.close)
  const openWarehouse = postgresWarehouse({ dataDir, url, times: undefined, db, now: Date.now, log: { warn() {} } })
  async function run(sql: string): Promise<void> {
    const running = openPostgresSession({ url, max: 1 })
    await running.query(sql).finally(running.close)
  }
  return { dataDir, openWarehouse, run }
}

async function insertLinks({ query }: PostgresSession, links: number): Promise<void> {
  await query(
    `insert into links (id, code_key, code, token_hash, kind, target, payload, title, utm, active, revision, created_at, updated_at)
     select i, 'c' || i, 'c' || i, 't' || i, 'url', 'https://example.com', '{}', null, '{}', 1, 1, 0, 0 from generate_series(1, $1::integer) i`,
    [links],
  )
}

/** A node with a journal folder of its own. */
export function openNode(t: TestContext, session: PostgresSession, chunk = 5) {
  const path = makeFolders(t).journal
  let number = 0
  const open = (target = openPostgresFoldTarget(session, journalFolder(path))) => createFold(target, path, () => chunk)
  return {
    path,
    write: (scans: Scan[]) => {
      const name = `${++number}-${path.replaceAll('/', '-')}.scans`
      const writer = openJournalFile(join(path, name), false)
      for (const each of scans) writer.append([each])
      writer.close()
      return name
    },
    fold: (target?: ReturnType<typeof openPostgresFoldTarget>, deleted: number[] = []) =>
      open(target).run(filesIn(path), NOW, deleted),
  }
}

export const filesIn = (path: string) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.scans'))
    .sort()
