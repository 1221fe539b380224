import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { scan } from '../../../test/support/fold-folders.ts'
import { openJournalFile } from '../journal/journal-file.ts'
import type { Scan } from '../scan.ts'
import { foldFile } from './fold-file.ts'

/** What a chunk of a fold that is behind takes of the thread, in milliseconds: so long that a busy machine leaves time in its tenth. */
const CHUNK_MS = 1000

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

test('a chunk has 5,000 links at most, because the rows of each take their time', async (t) => {
  const folder = temporaryFolder(t)
  const writer = openJournalFile(join(folder, '1.scans'), false)
  const visit = (links: number) => {
    for (let linkId = 1; linkId <= links; linkId += 100)
      writer.append(Array.from({ length: 100 }, (_, at) => scan({ linkId: linkId + at })))
  }
  visit(6000)
  for (let times = 0; times < 90; times++) visit(100)
  writer.close()
  const chunks: [scans: number, links: number][] = []
  const target = {
    mark: () => ({ position: 0, isDamaged: false }),
    commit: (scans: Scan[]) => {
      chunks.push([scans.length, new Set(scans.map(({ linkId }) => linkId)).size])
      return 0
    },
    confirm: () => {},
  }
  await foldFile({ folder, target, chunkScansOf: () => 10_000, deletedLinks: new Set(), onScans: () => {} }, '1.scans')
  assert.deepEqual(chunks, [
    [5000, 5000],
    [10_000, 1100],
  ])
})
