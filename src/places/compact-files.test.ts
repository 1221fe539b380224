import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { mmdb } from '../../test/support/mmdb.ts'
import { writeCompact } from './compact-write.ts'
import { openCompact } from './compact.ts'
import { openMmdb } from './mmdb.ts'

/** A table of one network. */
function writeSample(t: TestContext): string {
  const folder = temporaryFolder(t)
  const [path, table] = [join(folder, 'places.mmdb'), join(folder, 'places.table')]
  writeFileSync(path, mmdb([['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }]]))
  const file = openMmdb(path)
  t.after(file.close)
  writeCompact([file], table)
  return table
}

test('a table is read ahead to its end, or until it is closed', async (t) => {
  const table = writeSample(t)
  const compact = openCompact(table)
  assert.ok(compact.readAhead !== undefined)
  await compact.readAhead()
  const reading = compact.readAhead()
  compact.close()
  await reading
})

test('a damaged table, or one of other files, is not opened', (t) => {
  const table = writeSample(t)
  const good = readFileSync(table)
  assert.throws(() => openCompact(table, 'another'), /other files/)
  for (const length of [0, 100, 1024, good.length - 1]) {
    writeFileSync(table, good.subarray(0, length))
    assert.throws(() => openCompact(table), `${length} bytes`)
  }
  // The header, the index and the names: blocks of networks have no checksum.
  for (const at of [0, 5, good.length - 1, good.length - 20]) {
    const bytes = Buffer.from(good)
    bytes[at] = (bytes[at] ?? 0) ^ 0x55
    writeFileSync(table, bytes)
    assert.throws(() => openCompact(table), `the byte at ${at}`)
  }
})

test('converting a damaged file throws and leaves nothing behind', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'places.mmdb')
  const good = mmdb([['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }]])
  const loop = Buffer.from(good)
  loop.fill(0, 0, 6)
  const outside = Buffer.from(good)
  outside.fill(0x7f, 0, 6)
  const nothing = mmdb([['5.1.0.0/16', { autonomous_system_number: 3303 }]])
  for (const [content, fault] of [
    [loop, /loops/],
    [outside, /out of its data/],
    [nothing, /no countries/],
  ] as const) {
    writeFileSync(path, content)
    const file = openMmdb(path)
    assert.throws(() => writeCompact([file], join(folder, 'places.table')), fault)
    file.close()
    assert.deepEqual(readdirSync(folder), ['places.mmdb'])
  }
  assert.ok(existsSync(path))
})
