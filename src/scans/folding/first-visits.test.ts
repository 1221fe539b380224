import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, makeFolders, NOW, scan } from '../../../test/support/fold-folders.ts'
import { foldingStores } from '../../../test/support/folding-stores.ts'
import { KEYS_OF_ADDRESS } from '../describing/visitor-key.ts'
import type { Scan } from '../scan.ts'
import { openFirstOfDay } from '../sqlite/first-of-day.ts'
import { UNBOUNDED, type RawBound } from './raw-bound.ts'

/** The agents of an address: each is another visitor. */
const agents = (address: number, count: number, more: (agent: number) => Partial<Scan> = () => ({})) =>
  Array.from({ length: count }, (_, agent) => scan({ visitor: address * KEYS_OF_ADDRESS + agent, ...more(agent) }))

for (const [name, open] of foldingStores) {
  test(`of one address, link and day 16 agents count, and the others as one for each device, system and browser: ${name}`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    await store.fold(agents(5, 100))
    assert.deepEqual(await store.countedOf(1), [17, 1])
    // Further ones, in a later fold; the known ones come again.
    await store.fold(agents(5, 200))
    assert.deepEqual(await store.countedOf(1), [17, 1])
    await store.fold(agents(5, 300, (agent) => ({ browser: agent % 3 === 0 ? 'Chrome' : 'Safari' })))
    assert.deepEqual(await store.countedOf(1), [18, 2])
    // Another address, another link, and another day.
    await store.fold(agents(6, 3))
    await store.fold([...agents(5, 20, () => ({ linkId: 2 })), ...agents(5, 20, () => ({ at: NOW + 24 * HOUR }))])
    assert.deepEqual(
      [await store.countedOf(1), await store.countedOf(2)],
      [
        [18 + 3 + 17, 4],
        [17, 1],
      ],
    )
    // Programs are visitors and no people; who opts out is neither.
    await store.fold([...agents(7, 2, () => ({ bot: true })), scan({ visitor: null })])
    assert.deepEqual(await store.countedOf(1), [18 + 3 + 17 + 2, 4])
  })

  test(`one client counts as 64 people at most, whatever agents it sends: ${name}`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    const any = (agent: number) => ({
      device: `device ${agent % 10}`,
      os: `os ${agent % 29}`,
      browser: `b ${agent % 31}`,
    })
    await store.fold(agents(5, 1000, any))
    await store.fold(agents(5, 1000, any))
    assert.deepEqual(await store.countedOf(1), [16 + 64, 64])
  })

  test(`where room is scarce, visits add no keys and no referrers, and count all the same: ${name}`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    let untold = 0
    const scarce: RawBound = {
      ...UNBOUNDED,
      onlyCounts: () => true,
      addsVisitors: () => false,
      noteUntold: (scans) => (untold += scans),
    }
    const strangers = (from: number) =>
      Array.from({ length: 200 }, (_, at) =>
        scan({ visitor: (from + at) * KEYS_OF_ADDRESS, referrer: `${from + at}.example` }),
      )
    await store.fold(strangers(0).slice(0, 3))
    const before = await store.rows()
    assert.equal(before.referrers, 3)
    // Those who came before are known, and no visitors again.
    await store.fold([...strangers(0).slice(0, 3), ...strangers(1000), scan({ visitor: null })], scarce)
    assert.deepEqual(await store.rows(), before)
    assert.deepEqual(await store.countedOf(1), [3, 3])
    assert.equal(untold, 200)
    await store.fold(strangers(1000))
    assert.deepEqual(await store.countedOf(1), [203, 203])
    assert.equal((await store.rows()).referrers, 203)
  })
}

test('a part of the journal that is folded again after a crash gets the same flags', (t) => {
  const { visitors } = makeFolders(t)
  const scans = [...agents(5, 50), ...agents(5, 300, (agent) => ({ browser: `browser ${agent % 90}` }))]
  const parts = Array.from({ length: 7 }, (_, part) => ({
    journal: 'a.scans',
    from: part,
    scans: scans.slice(part * 50, (part + 1) * 50),
  }))
  for (const part of parts) {
    const first = openFirstOfDay(visitors)
    const flags = first.flag(part)
    first.close()
    const again = openFirstOfDay(visitors)
    assert.deepEqual(again.flag(part), flags)
    again.close()
  }
})
