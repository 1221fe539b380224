import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedRuns, shareRun } from './share-runs.ts'

test('calls during a run share it, also when it fails, and a later call runs again', async () => {
  let runs = 0
  const shared = shareRun(async () => {
    if (++runs === 2) throw new Error('second')
    return runs
  })
  assert.deepEqual(await Promise.all([shared(), shared()]), [1, 1])
  const failed = [shared(), shared()]
  for (const each of failed) await assert.rejects(each, /second/)
  assert.equal(await shared(), 3)
})

test('runs are shared by name, and counted while they go on', async () => {
  const runs = createSharedRuns<string>()
  const begun: string[] = []
  const ends = Promise.withResolvers<string>()
  const begin = (name: string) =>
    runs.share(name, () => {
      begun.push(name)
      return ends.promise
    })
  const all = ['a', 'b', 'a'].map(begin)
  assert.deepEqual([begun, runs.count(), runs.has('a'), runs.has('c')], [['a', 'b'], 2, true, false])
  ends.resolve('ended')
  assert.deepEqual([await Promise.all(all), runs.count()], [['ended', 'ended', 'ended'], 0])
})

test('runs beyond the most at a time wait for their turn, in order, also behind one that fails', async () => {
  const runs = createSharedRuns<string>(2)
  const ends = new Map(['a', 'b', 'c', 'd'].map((name) => [name, Promise.withResolvers<string>()]))
  const begun: string[] = []
  const all = [...ends].map(([name, { promise }]) =>
    runs.share(name, () => {
      begun.push(name)
      return promise
    }),
  )
  assert.deepEqual([begun, runs.count(), runs.has('d')], [['a', 'b'], 4, true])
  ends.get('a')?.reject(new Error('failed'))
  await assert.rejects(all[0] ?? assert.fail(), /failed/)
  assert.deepEqual(begun, ['a', 'b', 'c'])
  for (const { resolve } of ends.values()) resolve('ended')
  await Promise.all(all.slice(1))
  assert.deepEqual([begun, runs.count()], [['a', 'b', 'c', 'd'], 0])
  assert.equal(await runs.share('e', async () => 'ended'), 'ended')
})
