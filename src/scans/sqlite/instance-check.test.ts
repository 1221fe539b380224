import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { drivers } from '../../../test/support/drivers.ts'
import { StartError } from '../../lib/start-error.ts'
import { instanceOf } from '../../links/instance.ts'
import { recordDeleted } from '../../links/deletion.ts'
import { findMismatch, readScans, unusable, requireLinks } from './instance-check.ts'
import { readScansIdentity } from './identity.ts'
import { openSqliteWarehouse } from './warehouse.ts'

for (const driver of drivers) {
  test(`a mismatch of scans and links is found on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const links = instanceOf(db)
    await recordDeleted({ db }, [1, 2, 3])
    const id = await links.id()
    const mismatch = (newest: number | undefined, sample: number[], instance: string | undefined = id) =>
      findMismatch({ instance, newest, sample }, links)
    const unknown = (count: number) => Array.from({ length: count }, (_, at) => 1000 + at)
    assert.equal(await mismatch(undefined, []), undefined)
    assert.equal(await mismatch(3, [1, 2, 3]), undefined)
    assert.equal(await findMismatch({ instance: undefined, newest: 3, sample: [1] }, links), undefined)
    assert.match((await mismatch(3, [1], 'another')) ?? '', /another links\.db/)
    assert.match((await mismatch(4, [1, 2, 3])) ?? '', /newer/)
    assert.equal(await mismatch(3, unknown(10)), undefined)
    assert.match((await mismatch(3, unknown(11))) ?? '', /11 of 11/)
  })
}

/** Creates a warehouse whose links, from 1 on, have a scan each. */
function makeWarehouse(file: string, links: number): void {
  const { db, close } = openSqliteWarehouse(file)
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${links}) select i`
  if (links > 0) db.exec(`insert into totals ${numbers}, 1, 1, 0, 0, 0, 0, 0 from n`)
  close()
}

test('the sample has all links of a small scans.db, and at most a thousand of a large one', (t) => {
  const file = (name: number) => join(folder, `${name}.db`)
  const folder = temporaryFolder(t)
  for (const links of [0, 1, 1000, 1001, 20_000]) {
    makeWarehouse(file(links), links)
    const identity = readScansIdentity(file(links))
    assert.deepEqual([identity?.instance, identity?.newest], [undefined, links || undefined])
    const sample = new Set(identity?.sample)
    assert.ok([...sample].every((id) => id >= 1 && id <= links))
    if (links <= 1000) assert.equal(sample.size, links)
    else assert.ok(sample.size >= 50 && sample.size <= 1000, `${sample.size} of ${links}`)
  }
  assert.equal(readScansIdentity(file(7)), undefined)
})

test('scans.db records the instance and its newest link; another instance clears the newest link', (t) => {
  const file = join(temporaryFolder(t), 'scans.db')
  const warehouse = openSqliteWarehouse(file)
  const identity = () => {
    const { instance, newest } = readScansIdentity(file) ?? {}
    return [instance, newest]
  }
  assert.deepEqual(identity(), [undefined, undefined])
  warehouse.setInstance('one')
  warehouse.setNewestLink(2 ** 46)
  warehouse.setInstance('one')
  assert.deepEqual(identity(), ['one', 2 ** 46])
  warehouse.setInstance('two')
  assert.deepEqual(identity(), ['two', undefined])
  warehouse.setNewestLink(2 ** 46)
  assert.deepEqual(identity(), ['two', 2 ** 46])
  warehouse.close()
})

test('an interrupted transaction of scans.db is rolled back; a file that is not a database is named and not changed', (t) => {
  const folder = temporaryFolder(t)
  const [file, copy] = [join(folder, 'scans.db'), join(folder, 'copy.db')]
  const db = new DatabaseSync(file)
  db.exec('create table totals (link_id integer primary key); insert into totals values (5)')
  // Pages are written to the file before the transaction ends.
  db.exec('pragma cache_size = 1; create table filler (text); begin; insert into totals values (6)')
  for (let row = 0; row < 100; row++) db.exec('insert into filler values (zeroblob(4000))')
  for (const end of ['', '-journal']) writeFileSync(`${copy}${end}`, readFileSync(`${file}${end}`))
  db.close()
  assert.deepEqual(readScansIdentity(copy), { instance: undefined, newest: 5, sample: [5] })

  const text = 'this is no database, but it is longer than a header of SQLite would be, for sure.'.repeat(9)
  writeFileSync(file, text)
  assert.throws(
    () => readScans(file),
    (error) => error instanceof StartError && /scans\.db cannot be used .*: replace it/.test(error.message),
  )
  assert.equal(readFileSync(file, 'utf8'), text)
  // Not a fault of the file.
  for (const fault of [
    Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' }),
    Object.assign(new Error('database is locked'), { errcode: 5 }),
  ])
    assert.equal(unusable(file, fault).message, `${file} cannot be used (${fault.message})`)
})

test('a folder without links.db is refused only when it has scans', (t) => {
  const dataDir = join(temporaryFolder(t), 'data')
  requireLinks(dataDir)
  mkdirSync(join(dataDir, 'journal'), { recursive: true })
  for (const name of ['lock', 'scans.db', 'links.db', join('journal', '0.scans.damaged')])
    writeFileSync(join(dataDir, name), '')
  requireLinks(dataDir)
  writeFileSync(join(dataDir, 'journal', '0.scans'), '')
  assert.throws(() => requireLinks(dataDir), /holds scans but no links\.db/)
  writeFileSync(join(dataDir, 'links.db'), 'anything')
  requireLinks(dataDir)
})
