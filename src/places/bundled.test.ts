import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { bundledTables, openBundled } from './bundled.ts'
import { createFindPlace } from './find.ts'

const notInstalled = () => {
  throw new Error('not installed')
}

test('the tables are enough where the databases that they were made from are not installed', (t) => {
  const files = openBundled(notInstalled)
  undoLater(t, () => files.forEach(({ close }) => close()))
  assert.equal(files.length, 2)
  const find = createFindPlace(files)
  assert.deepEqual(find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
})

test('with neither databases nor tables, the countries are missed', () => {
  assert.throws(() => openBundled(notInstalled, `${bundledTables}nowhere/`), /not installed/)
})
