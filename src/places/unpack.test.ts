import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { unpack } from './unpack.ts'

test('a compressed file is unpacked, any other is used as it is', async (t) => {
  const folder = temporaryFolder(t)
  const [file, to] = [join(folder, 'places'), join(folder, 'unpacked')]
  writeFileSync(file, 'as it is')
  assert.equal(await unpack(file, to), file)
  writeFileSync(file, gzipSync('compressed'))
  assert.equal(await unpack(file, to), to)
  assert.equal(readFileSync(to, 'utf8'), 'compressed')
})

test('a file that would take more than half of the free disk space is refused, and leaves nothing', async (t) => {
  const folder = temporaryFolder(t)
  const [file, to] = [join(folder, 'places'), join(folder, 'unpacked')]
  // Compressed to a thousandth of its size.
  writeFileSync(file, gzipSync(Buffer.alloc(4_000_000)))
  await assert.rejects(
    unpack(file, to, async () => 6_000_000),
    /^Error: it is larger than half of what is free on the disk$/,
  )
  assert.deepEqual(readdirSync(folder), ['places'])
  assert.equal(await unpack(file, to, async () => 8_000_000), to)
})

test('a truncated compressed file is refused, and leaves nothing', async (t) => {
  const folder = temporaryFolder(t)
  const [file, to] = [join(folder, 'places'), join(folder, 'unpacked')]
  const content = gzipSync(Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 251)))
  writeFileSync(file, content.subarray(0, content.length / 2))
  await assert.rejects(unpack(file, to), /unexpected end of file/)
  assert.deepEqual(readdirSync(folder), ['places'])
})

test('the error for an archive says that it is one', async (t) => {
  const folder = temporaryFolder(t)
  const [file, to] = [join(folder, 'places'), join(folder, 'unpacked')]
  const archive = Buffer.alloc(10_240)
  archive.write('GeoLite2-City_20260601/GeoLite2-City.mmdb')
  archive.write('ustar', 257)
  for (const content of [archive, gzipSync(archive)]) {
    writeFileSync(file, content)
    await assert.rejects(unpack(file, to), /^Error: it is a tar archive: name the \.mmdb file inside$/)
    assert.deepEqual(readdirSync(folder), ['places'])
  }
})
