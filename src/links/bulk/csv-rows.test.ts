import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../http/problem.ts'
import { readCsv } from './csv-rows.ts'

const noUnknown = () => assert.fail('a column is unknown')

const refuses = (text: string, why: RegExp) =>
  assert.rejects(readCsv(text, '/csv', noUnknown), (error) => {
    assert.ok(error instanceof Problem && error.status === 400, String(error))
    assert.match(error.message, why)
    assert.ok(error.message.length < 1_500, `${error.message.length} characters`)
    return true
  })

test('a header has at most 1,000 characters, names each known column once, and has a target', async () => {
  await refuses(`target${',a'.repeat(2_000_000)}\nx`, /header of at most 1000 characters/)
  await refuses(`target${','.repeat(4_000_000)}`, /header of at most 1000 characters/)
  await refuses('target,Target\nx,y', /names a column twice/)
  await refuses('colour\nx', /names the column "target"/)
})

test('unknown columns are named as they are written, and their cells are left out; those without name and text are skipped', async () => {
  let names: string[] = []
  const text = 'Colour,target, Size ,,,TITLE\nred,https://example.com/,5,,,Menu\n'
  const rows = await readCsv(text, '/csv', (unknown) => (names = unknown))
  assert.deepEqual(names, ['Colour', 'Size'])
  assert.deepEqual(rows, [{ target: 'https://example.com/', title: 'Menu' }])
})

test('lines, cells and the bytes of a row are bounded', async () => {
  await refuses(`target${'\n'.repeat(4_000_000)}`, /at most 20000 lines/)
  await refuses(`target${'\r\n'.repeat(20_000)}`, /at most 20000 lines/)
  assert.deepEqual(await readCsv(`target${'\r\n'.repeat(19_999)}`, '/csv', noUnknown), [])
  await refuses(`target,alias\n${',\n'.repeat(2_000_000)}`, /at most 20000 lines/)
  await refuses(`target,alias\n${','.repeat(4_000_000)}`, /at most 100000 cells/)
  await refuses(`target\n${'x'.repeat(4_000_000)}`, /longer than 16384 bytes/)
  await refuses(`target\n${'"'.repeat(4_000_000)}`, /longer than 16384 bytes|quote/)
})

test('a CSV as spreadsheets write it is accepted: with a thousand empty rows, and full cells', async () => {
  const full = `https://example.com/${'x'.repeat(2_028)},${'ü'.repeat(200)},"${'""'.repeat(200)}",${'a'.repeat(64)}\r\n`
  const rows = await readCsv(
    `target,title,campaign,alias\r\n${full.repeat(500)}${',,,\r\n'.repeat(1_000)}`,
    '',
    noUnknown,
  )
  assert.equal(rows.length, 500)
  assert.ok(rows.every((row) => 'campaign' in row && row.campaign === '"'.repeat(200)))
})
