import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { scan } from '../../test/support/fold-folders.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { filesIn, makePostgres } from '../../test/support/shared-folds.ts'
import { threeLinks } from '../../test/support/three-links.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { sqliteWarehouse } from './sqlite/open.ts'
import type { OpenWarehouse } from './warehouse.ts'

const SCANS = 20

function open(dataDir: string, openWarehouse: OpenWarehouse): Promise<Recorder> {
  return openRecorder({
    openWarehouse,
    dataDir,
    sync: false,
    retention: Number.POSITIVE_INFINITY,
    now: Date.now,
    removalTime: async () => Date.now(),
    monotonic: () => performance.now(),
    log: { error() {}, warn() {} },
    links: threeLinks,
  })
}

/** @param run runs SQL on the store of the scans */
async function testFailingFolds(
  t: TestContext,
  { dataDir, openWarehouse }: { dataDir: string; openWarehouse: OpenWarehouse },
  { block, unblock, run }: { block: string[]; unblock: string; run: (sql: string) => Promise<unknown> },
): Promise<void> {
  const recorder = await open(dataDir, openWarehouse)
  undoLater(t, () => recorder.close())
  assert.ok(await recorder.fold())
  for (const sql of block) await run(sql)
  for (let count = 0; count < SCANS; count++) {
    await new Promise<void>((recorded) =>
      recorder.record(scan({ linkId: 1, at: Date.now(), visitor: count }), recorded),
    )
    assert.equal(await recorder.fold(), false)
  }
  assert.ok(filesIn(join(dataDir, 'journal')).length <= 2, filesIn(join(dataDir, 'journal')).join(' '))
  await run(unblock)
  assert.ok(await recorder.fold(), 'the first fold that may succeed does not fold all')
  assert.equal((await recorder.totals(1)).humans, SCANS)
  assert.equal(await recorder.oldestUnfolded(), undefined)
}

test('folds that fail leave no more than one file and the current one, however many there are, and the next folds both', async (t) => {
  const dataDir = temporaryFolder(t)
  await testFailingFolds(
    t,
    { dataDir, openWarehouse: sqliteWarehouse(dataDir) },
    {
      block: ["create trigger no_room before insert on marks begin select raise(abort, 'full'); end"],
      unblock: 'drop trigger no_room',
      async run(sql) {
        const database = new DatabaseSync(join(dataDir, 'scans.db'), { timeout: 5000 })
        database.exec(sql)
        database.close()
      },
    },
  )
})

test('the same in PostgreSQL', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { run, ...warehouse } = await makePostgres(t)
  await testFailingFolds(t, warehouse, {
    block: [
      "create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$",
      'create trigger no_room before insert or update on quirl_scans.journal_positions execute function full_disk()',
    ],
    unblock: 'drop trigger no_room on quirl_scans.journal_positions',
    run,
  })
})
