import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Totals } from '../links/link.ts'
import { createFollowers } from './followers.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Followers of totals that grow each time they are read, and what was asked for them. */
function start() {
  const asked: number[] = []
  const totals = async (linkId: number) => ({ scans: asked.push(linkId) }) as Totals
  const followers = createFollowers(totals, 1000)
  const join = (linkId: number) => {
    const told: string[] = []
    let failed = 0
    const leave = followers.follow(linkId, { tell: (text) => told.push(text), fail: () => failed++ })
    return { told, leave, failed: () => failed }
  }
  return { asked, followers, join }
}

test('a fold of one link asks once for all its followers, and nothing for those of another', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, followers, join } = start()
  const [a1, a2, b] = [join(1), join(1), join(2)]
  await turn()
  assert.deepEqual([a1.told.length, a2.told.length, b.told.length], [1, 1, 1])
  asked.length = 0
  followers.folded([1, 3, 4])
  await turn()
  assert.deepEqual(asked, [1])
  assert.deepEqual(
    [a1.told, a2.told, b.told].map((told) => told.length),
    [2, 2, 1],
  )
  assert.equal(a1.told[1], a2.told[1])
})

test('folds that come soon after another are told as one, and a fold of very many links is told to everyone', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, followers, join } = start()
  const all = [join(1), join(2)]
  await turn()
  asked.length = 0
  followers.folded([1])
  for (let at = 0; at < 100; at++) followers.folded([1])
  await turn()
  assert.deepEqual(asked, [1])
  t.mock.timers.tick(999)
  assert.deepEqual(asked, [1])
  t.mock.timers.tick(1)
  await turn()
  assert.deepEqual(asked, [1, 1])
  followers.folded(undefined)
  t.mock.timers.tick(1000)
  await turn()
  assert.deepEqual(asked, [1, 1, 1, 2])
  // After a rest in which nothing changed, the next fold is told at once.
  t.mock.timers.tick(1000)
  followers.folded([2])
  await turn()
  assert.deepEqual(asked, [1, 1, 1, 2, 2])
  assert.equal(all[1]?.told.length, 3)
})

test('who has left is asked for no more, and is counted no more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, followers, join } = start()
  const [one, two] = [join(1), join(1)]
  await turn()
  assert.equal(followers.count(), 2)
  one.leave()
  one.leave()
  assert.equal(followers.count(), 1)
  asked.length = 0
  followers.folded([1])
  await turn()
  assert.deepEqual([asked, one.told.length, two.told.length], [[1], 1, 2])
  two.leave()
  t.mock.timers.tick(1000)
  followers.folded([1])
  await turn()
  assert.deepEqual([asked, followers.count()], [[1], 0])
})

test('totals that cannot be read are told to those who follow them, and to nobody else', async () => {
  const followers = createFollowers(async (linkId) => {
    if (linkId === 1) throw new Error('no')
    return { scans: 0 } as Totals
  })
  const failed: number[] = []
  for (const linkId of [1, 2, 1]) followers.follow(linkId, { tell: () => {}, fail: () => failed.push(linkId) })
  await turn()
  assert.deepEqual(failed, [1, 1])
})
