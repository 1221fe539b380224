import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { fc, runs } from '../../test/support/fast-check.ts'
import { scan } from '../../test/support/fold-folders.ts'
import { PATIENCE_MS } from '../../test/support/poll.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { makePostgres } from '../../test/support/shared-folds.ts'
import { threeLinks } from '../../test/support/three-links.ts'
import { KEYS_OF_ADDRESS } from './describing/visitor-key.ts'
import { createHumanScanCounter } from './human-scans.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import type { OpenWarehouse } from './warehouse.ts'
import { sqliteWarehouse } from './sqlite/open.ts'

/** A warehouse for the links 1 to 3. */
type MakeWarehouse = (t: TestContext) => Promise<{ dataDir: string; openWarehouse: OpenWarehouse }>

async function makeSqlite(t: TestContext) {
  const dataDir = temporaryFolder(t)
  return { dataDir, openWarehouse: sqliteWarehouse(dataDir) }
}

/** The key of a person who visits a link; those of different links differ. */
const visitorOf = (linkId: number, person: number) => (linkId * 1000 + person) * KEYS_OF_ADDRESS

/** A recorder of the links 1 to 3, which a test may open again on its warehouse. */
function openOn({ dataDir, openWarehouse }: Awaited<ReturnType<MakeWarehouse>>): Promise<Recorder> {
  return openRecorder({
    openWarehouse,
    dataDir,
    sync: false,
    retention: Number.POSITIVE_INFINITY,
    waitMs: PATIENCE_MS,
    now: Date.now,
    removalTime: async () => Date.now(),
    monotonic: () => performance.now(),
    log: { error: (details) => assert.fail(JSON.stringify(details)), warn() {} },
    links: threeLinks,
  })
}

test('the numbers of scans by people and of people are exact whenever they are known, however reads, folds and scans overlap', (t) =>
  testOverlaps(t, makeSqlite, 10))

test('the same in PostgreSQL, where it is read again with each fold', async (t) => {
  if (requireProgram(t, 'initdb', 'postgresql')) await testOverlaps(t, makePostgres, 3)
})

async function testOverlaps(t: TestContext, makeWarehouse: MakeWarehouse, numRuns: number): Promise<void> {
  const link = fc.integer({ min: 1, max: 3 })
  const person = { bot: false, person: 1 }
  // The second visit of a person comes while the fold of the first reads a number that was not known before.
  const known = [
    { do: 'loaded' as const, link: 1 },
    { do: 'record' as const, link: 2, count: 2, ...person },
    { do: 'loaded' as const, link: 2 },
  ]
  const step = fc.oneof(
    fc.record({
      do: fc.constant('record' as const),
      link,
      count: fc.integer({ min: 1, max: 5 }),
      bot: fc.boolean(),
      person: fc.integer({ min: 1, max: 6 }),
    }),
    fc.record({ do: fc.constant('load' as const), link }),
    fc.record({ do: fc.constant('fold' as const) }),
    fc.record({ do: fc.constant('turn' as const) }),
    fc.record({ do: fc.constant('flush' as const) }),
    fc.record({ do: fc.constant('loaded' as const), link }),
    fc.record({ do: fc.constant('import' as const), link, count: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ do: fc.constant('restart' as const) }),
  )
  const isOpen = new Set<Recorder>()
  undoLater(t, async () => void (await Promise.all([...isOpen].map((recorder) => recorder.close()))))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const warehouse = await makeWarehouse(t)
      let recorder = await openOn(warehouse)
      // One that a failure leaves open keeps the process from ending.
      isOpen.add(recorder)
      const recorded = new Map([1, 2, 3].map((id) => [id, 0]))
      const people = new Map([1, 2, 3].map((id) => [id, new Set<number>()]))
      const imported = new Map<number, number>()
      const load = async (linkId: number) => {
        recorder.humanScans.request(linkId)
        recorder.visitors.request(linkId)
        assert.ok(await recorder.loadNumbers(linkId))
      }
      let importing: number | undefined
      const importOnce = async (linkId: number, clicks: number) => {
        if (imported.has(linkId)) return
        imported.set(linkId, clicks)
        importing = linkId
        await recorder.addImported([{ linkId, at: Date.now(), clicks }])
        importing = undefined
        recorded.set(linkId, (recorded.get(linkId) ?? 0) + clicks)
      }
      const check = () => {
        for (const [id, count] of recorded) {
          const possible = [undefined, count, ...(importing === id ? [count + (imported.get(id) ?? 0)] : [])]
          assert.ok(possible.includes(recorder.humanScans.of(id)), `link ${id}`)
          const visitors = people.get(id)?.size ?? 0
          for (const number of [1, visitors, visitors + 1].filter((each) => each > 0))
            assert.ok(
              [undefined, visitors >= number].includes(recorder.visitors.has(id, number)),
              `people of link ${id}`,
            )
        }
      }
      const record = (linkId: number, bot: boolean, person: number, more = 0) => {
        recorder.record(scan({ linkId, bot, at: Date.now(), visitor: visitorOf(linkId, person) }), () => {
          check()
          // Another visit on the same connection.
          if (more > 0) record(linkId, bot, person, more - 1)
        })
        if (!bot) people.get(linkId)?.add(person)
        if (!bot) recorded.set(linkId, (recorded.get(linkId) ?? 0) + 1)
        check()
      }
      const close = async () => {
        isOpen.delete(recorder)
        await recorder.close()
      }
      const pending: Promise<unknown>[] = []
      for (const each of steps) {
        if (each.do === 'record') record(each.link, each.bot, each.person, each.count - 1)
        else if (each.do === 'load') pending.push(load(each.link))
        else if (each.do === 'fold') pending.push(recorder.fold())
        else if (each.do === 'turn') await nextTurn()
        else if (each.do === 'flush') recorder.flush()
        else if (each.do === 'import') await importOnce(each.link, each.count)
        else if (each.do === 'loaded') {
          await load(each.link)
          assert.equal(recorder.humanScans.of(each.link), recorded.get(each.link))
          const visitors = people.get(each.link)?.size ?? 0
          // Visits on the same connection may have come meanwhile: whether they are of further people, the next fold tells.
          if (recorder.visitors.has(each.link, visitors + 1) === undefined) await load(each.link)
          assert.equal(recorder.visitors.has(each.link, visitors + 1), false)
          assert.equal(visitors === 0 || recorder.visitors.has(each.link, visitors), true)
        } else {
          await Promise.all(pending.splice(0))
          await close()
          recorder = await openOn(warehouse)
          isOpen.add(recorder)
        }
        check()
      }
      await Promise.all(pending)
      for (const id of recorded.keys()) {
        await load(id)
        // Visits on the same connection may have been recorded meanwhile.
        assert.equal(recorder.humanScans.of(id), recorded.get(id))
      }
      await close()
    }),
    { numRuns: runs(numRuns), examples: [[known]] },
  )
}

test('a count that was dropped for another is read again, and a fold that fails leaves it requested', () => {
  const counter = createHumanScanCounter(false, 2)
  const fold = (counts: Record<number, number>) => {
    const { linkIds, finish } = counter.startFold()
    finish((id) => counts[id] ?? 0)
    return linkIds
  }
  counter.request(1)
  // A fold that fails does not finish.
  assert.deepEqual(counter.startFold().linkIds, [1])
  const recorded = counter.count(scan({ linkId: 1 }), () => {})
  assert.equal(counter.of(1), undefined)
  recorded()
  assert.deepEqual(fold({ 1: 5 }), [1])
  assert.equal(counter.of(1), 5)
  counter.count(scan({ linkId: 1 }), () => {})
  assert.equal(counter.of(1), 6)
  counter.request(2)
  counter.request(3)
  assert.deepEqual(fold({ 2: 1, 3: 2 }), [2, 3])
  assert.deepEqual([counter.of(1), counter.of(2), counter.of(3)], [undefined, 1, 2])
  counter.request(1)
  assert.deepEqual(fold({ 1: 7 }), [1])
  assert.equal(counter.of(1), 7)
})

test('where other nodes fold too, a number in use is read again with each fold, and no own scan is missing meanwhile', () => {
  const counter = createHumanScanCounter(true)
  const record = () => counter.count(scan({ linkId: 1 }), () => {})()
  counter.request(1)
  counter.startFold().finish(() => 5)
  assert.deepEqual([counter.of(1), counter.isCurrent(1)], [5, true])
  record()
  const failed = counter.startFold()
  assert.deepEqual(failed.linkIds, [1])
  record()
  assert.equal(counter.of(1), 7)
  // That fold has failed; the next one closes the files of both.
  const { linkIds, finish } = counter.startFold()
  assert.deepEqual(linkIds, [1])
  record()
  assert.equal(counter.of(1), 8)
  // Another node has folded a hundred.
  finish(() => 107)
  assert.equal(counter.of(1), 108)
})

test('where other nodes fold too, a number that no visit has used for some folds is loaded again', () => {
  const counter = createHumanScanCounter(true)
  const fold = (count = 0) => counter.startFold().finish(() => count)
  counter.request(1)
  fold(5)
  assert.equal(counter.isCurrent(1), true)
  for (let folds = 0; folds < 3; folds++) fold()
  assert.equal(counter.isCurrent(1), false)
  counter.request(1)
  // While it cannot be loaded, the last number is used.
  counter.startFold()
  assert.deepEqual([counter.of(1), counter.isCurrent(1)], [5, false])
  fold(9)
  assert.deepEqual([counter.of(1), counter.isCurrent(1)], [9, true])
})
