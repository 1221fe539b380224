import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { journalFolder, readFolderId } from './journal-folder.ts'

test('a journal folder keeps the id that it was given', (t) => {
  const path = join(temporaryFolder(t), 'journal')
  assert.equal(readFolderId(path), undefined)
  const { id } = journalFolder(path)
  assert.deepEqual(journalFolder(path), { path, id })
  assert.equal(readFolderId(path), id)
})

test('an id that quirl has not written is refused by the name of its file, and left as it is', (t) => {
  const path = temporaryFolder(t)
  for (const content of [Buffer.from([0, 255, 7]), 'a b', '0'.repeat(36)]) {
    writeFileSync(join(path, 'id'), content)
    for (const read of [readFolderId, journalFolder])
      assert.throws(() => read(path), {
        message: `${join(path, 'id')} has no id of a journal: it is damaged, or of another program`,
      })
  }
})
