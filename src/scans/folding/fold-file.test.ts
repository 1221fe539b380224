import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { scan } from '../../../test/support/fold-folders.ts'
import { openJournalFile } from '../journal/journal-file.ts'
import { foldFile } from './fold-file.ts'

/** What a chunk of a fold that is behind takes of the thread, in milliseconds. */
const CHUNK_MS = 200

function work(): void {
  const end = performance.now() + CHUNK_MS
  let now = performance.now()
  while (now < end) now = performance.now()
}

test('who asks one question after another has several answered between two chunks of a fold', async (t) => {
  const folder = temporaryFolder(t)
  const writer = openJournalFile(join(folder, '1.scans'), false)
  writer.append([scan({ at: 1 })])
  writer.append([scan({ at: 2 })])
  writer.close()
  const asked: number[] = []
  let answers = 0
  const asking = setInterval(() => answers++, 1)
  t.after(() => clearInterval(asking))
  const target = {
    mark: () => ({ position: 0, isDamaged: false }),
    commit: () => {
      work()
      asked.push(answers)
      return 0
    },
    confirm: () => {},
  }
  await foldFile({ folder, target, chunkScansOf: () => 1, deletedLinks: new Set(), onScans: () => {} }, '1.scans')
  const [first = 0, second = 0] = asked
  assert.equal(asked.length, 2)
  assert.ok(second - first >= 3, `${second - first} answers between two chunks`)
})
