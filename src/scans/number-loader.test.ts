import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { scan } from '../../test/support/fold-folders.ts'
import { createHumanScanCounter } from './human-scans.ts'
import { createNumberLoader } from './number-loader.ts'
import { createUnfoldedLinks } from './unfolded-links.ts'
import { KEYS_OF_ADDRESS } from './describing/visitor-key.ts'
import { createVisitorCounter } from './visitor-count.ts'

/** A loader whose reads a test answers; its folds only begin and end when the test says so. */
function openLoader() {
  const [unfolded, humanScans, visitors] = [createUnfoldedLinks(), createHumanScanCounter(), createVisitorCounter()]
  const reads: ((scans: number) => void)[] = []
  const fold = Promise.withResolvers<boolean>()
  const read = ([linkId]: number[]) =>
    new Promise<{ scans: number; visitors: number }[]>((resolve) => {
      assert.equal(linkId, 1)
      reads.push((scans) => resolve([{ scans, visitors: scans }]))
    })
  const load = createNumberLoader({ unfolded, humanScans, visitors, read, fold: () => fold.promise })
  const beginFold = () => {
    const finishes = [humanScans.startFold().finish, visitors.startFold().finish]
    const finishUnfolded = unfolded.startFold()
    return (number: number) => {
      for (const finish of finishes) finish(() => number)
      finishUnfolded()
    }
  }
  // What earlier processes have left is folded.
  beginFold()(0)
  return {
    reads,
    beginFold,
    endFold: () => fold.resolve(true),
    record: (person: number, linkId = 1) => {
      const each = scan({ linkId, visitor: person * KEYS_OF_ADDRESS })
      unfolded.add(each)
      visitors.count(
        each,
        humanScans.count(each, () => {}),
      )()
    },
    load: () => {
      humanScans.request(1)
      visitors.request(1)
      return load(1)
    },
    known: () => [humanScans.of(1), visitors.has(1, 1), visitors.has(1, 2), visitors.has(1, 3)],
  }
}

const unknown = [undefined, undefined, undefined, undefined]

test('the numbers of a link without unfolded scans are read while a fold runs, and exact from then on', async () => {
  const { reads, beginFold, record, load, known } = openLoader()
  record(1, 2)
  const finish = beginFold()
  const loaded = load()
  await nextTurn()
  // A visit that comes meanwhile is not in what is read.
  record(1)
  reads.shift()?.(0)
  assert.equal(await loaded, true)
  assert.deepEqual(known(), [1, true, false, false])
  record(1)
  record(2)
  assert.deepEqual(known(), [3, true, true, false])
  finish(0)
  assert.deepEqual(known(), [3, true, true, false])
  beginFold()(2)
  assert.deepEqual(known(), [3, true, true, false])
})

test('a number during whose read a fold began, which may have moved later scans, is read again, or told by the fold', async () => {
  const { reads, beginFold, load, known } = openLoader()
  const again = load()
  await nextTurn()
  const finish = beginFold()
  reads.shift()?.(5)
  await nextTurn()
  assert.deepEqual(known(), unknown)
  reads.shift()?.(0)
  assert.equal(await again, true)
  assert.deepEqual(known(), [0, false, false, false])
  finish(0)
  const other = openLoader()
  const told = other.load()
  await nextTurn()
  other.record(1)
  const finishOther = other.beginFold()
  other.reads.shift()?.(1)
  await nextTurn()
  assert.deepEqual([other.reads.length, other.known()], [0, unknown])
  finishOther(1)
  other.endFold()
  assert.equal(await told, true)
  assert.deepEqual(other.known(), [1, true, false, false])
})

test('while a link has scans that are not folded, or may have, its numbers wait for the fold', async () => {
  const links = createUnfoldedLinks(2)
  const mayHave = () => [1, 2, 3].map(links.mayHave)
  assert.deepEqual(mayHave(), [true, true, true])
  links.startFold()
  assert.deepEqual(mayHave(), [true, true, true])
  links.startFold()()
  assert.deepEqual(mayHave(), [false, false, false])
  links.add(scan({ linkId: 1 }))
  links.add(scan({ linkId: 2, bot: true }))
  links.startFold()()
  // Its scan may have been written after the rotation.
  assert.deepEqual(mayHave(), [true, false, false])
  links.add(scan({ linkId: 2 }))
  // That fold fails.
  links.startFold()
  links.add(scan({ linkId: 1 }))
  assert.deepEqual(mayHave(), [true, true, false])
  links.startFold()()
  assert.deepEqual(mayHave(), [true, false, false])
  links.startFold()()
  assert.deepEqual(mayHave(), [false, false, false])
  for (const linkId of [1, 2, 3]) links.add(scan({ linkId }))
  // More than are listed; that fold fails.
  for (let fold = 0; fold < 2; fold++) {
    links.startFold()
    assert.deepEqual([...mayHave(), ...[4, 5].map(links.mayHave)], [true, true, true, false, false])
  }
  for (let fold = 0; fold < 2; fold++) links.startFold()()
  assert.deepEqual(mayHave(), [false, false, false])
})

test('however many links of strangers are visited between two folds, the numbers of another one are read beside them', () => {
  const links = createUnfoldedLinks()
  for (let fold = 0; fold < 2; fold++) links.startFold()()
  const first = 2 ** 46
  const visited = 300_000
  for (let at = 0; at < visited; at++) links.add(scan({ linkId: first + at }))
  links.startFold()
  for (let at = 0; at < visited; at++) assert.ok(links.mayHave(first + at))
  const others = Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? first + visited + at : 2 ** 40 + 7 * at))
  const waiting = others.filter((id) => links.mayHave(id))
  assert.ok(waiting.length < 100, `${waiting.length} of 10,000`)
})
