import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc, runs } from '../../test/support/fast-check.ts'
import { createFairPool, slowestOf, type FairPool } from './fair-pool.ts'
import type { Holder } from './holder.ts'

const holder = (network: string, client = network, link?: number): Holder => ({
  allocation: network,
  network,
  client,
  about: link,
})

/** Of the networks of one allocation. */
const allocated = (allocation: string, network: string, client = network): Holder => ({ allocation, network, client })

/** Puts entries named after their holder: `a1` is the first of network and client `a`. */
function fill(pool: FairPool<string>, ...names: string[]): string[] {
  return names.flatMap((name) => [...pool.put(name, holder(name.slice(0, -1)))])
}

describe('a fair pool', () => {
  test('gives one holder everything while nobody else wants any, and refuses only what does not fit', () => {
    const pool = createFairPool<string>({ capacity: 3 })
    assert.deepEqual(fill(pool, 'a1', 'a2', 'a3'), [])
    assert.equal(pool.isRefused(holder('a')), true)
    assert.deepEqual(fill(pool, 'a4'), ['a4'])
  })

  test('takes the latest of the largest holder for a newcomer, until both hold as much', () => {
    const pool = createFairPool<string>({ capacity: 4 })
    fill(pool, 'a1', 'a2', 'a3', 'a4')
    assert.deepEqual(fill(pool, 'b1', 'b2', 'b3'), ['a4', 'a3', 'b3'])
    assert.deepEqual([...pool.entries()], ['a1', 'a2', 'b1', 'b2'])
  })

  test('counts the addresses of a network as one holder, and shares its part among them', () => {
    const pool = createFairPool<string>({ capacity: 4 })
    for (const at of [1, 2, 3, 4]) pool.put(`x${at}`, holder('x', `x${at}`))
    assert.equal(pool.isRefused(holder('x', 'x5')), true)
    assert.deepEqual(pool.put('b1', holder('b')).length, 1)
    pool.put('b2', holder('b'))
    const left = [...pool.entries()].filter((name) => name.startsWith('x'))
    assert.deepEqual(pool.put('b3', holder('b')), ['b3'])
    assert.equal(left.length, 2)
  })

  test('counts the networks of an allocation as one holder, shares its part among them, and serves them in turn', () => {
    const pool = createFairPool<string>({ capacity: 4 })
    for (const at of [1, 2, 3, 4]) pool.put(`x${at}`, allocated('x', `x${at}`))
    assert.equal(pool.isRefused(allocated('x', 'x5')), true)
    assert.deepEqual(pool.put('b1', holder('b')), ['x4'])
    assert.deepEqual(pool.put('b2', holder('b')), ['x3'])
    assert.deepEqual(pool.put('b3', holder('b')), ['b3'])
    pool.put('x1 again', allocated('x', 'x1'))
    assert.deepEqual(pool.put('x9', allocated('x', 'x9')), ['x9'])
    assert.equal(pool.remove('b2'), true)
    pool.put('x1 again', allocated('x', 'x1'))
    assert.deepEqual(pool.put('x9', allocated('x', 'x9')), ['x1 again'])
    assert.deepEqual(
      Array.from({ length: 5 }, () => pool.take()),
      ['x1', 'b1', 'x2', 'x9', undefined],
    )
  })

  test('lets the largest client of a network give way to another one of it', () => {
    const pool = createFairPool<string>({ capacity: 3 })
    for (const at of [1, 2, 3]) pool.put(`x${at}`, holder('n', 'x'))
    assert.deepEqual(pool.put('y1', holder('n', 'y')), ['x3'])
    assert.deepEqual(pool.put('y2', holder('n', 'y')), ['y2'])
  })

  test('counts a link as a holder, from however many networks it is asked for', () => {
    const pool = createFairPool<string>({ capacity: 3 })
    for (const network of ['a', 'b', 'c']) pool.put(network, holder(network, network, 1))
    assert.equal(pool.isRefused(holder('d', 'd', 1)), true)
    assert.deepEqual(pool.put('d', holder('d', 'd', 2)), ['c'])
    assert.deepEqual(pool.put('e', holder('e', 'e', 2)), ['e'])
  })

  test('lets the slowest give way where each step of an entry puts it again', () => {
    const pool = createFairPool<string>({ capacity: 10, choose: slowestOf })
    pool.put('a1', holder('a'), 4)
    pool.put('a2', holder('a'), 3)
    pool.put('a1', holder('a'), 5)
    assert.deepEqual(pool.put('b1', holder('b'), 3), ['a2'])
  })

  test('keeps what must stay, which still counts', () => {
    const pool = createFairPool<string>({ capacity: 3 })
    fill(pool, 'a1', 'a2')
    pool.keep('a1')
    pool.keep('a2')
    assert.deepEqual(fill(pool, 'b1', 'c1'), ['c1'])
    pool.remove('a1')
    assert.deepEqual(fill(pool, 'c1'), [])
  })

  test('serves who asks for the next only once the last was served as often as those with many waiting', () => {
    const pool = createFairPool<string>({ capacity: Infinity })
    for (const name of ['a', 'b'])
      for (let at = 0; at < 40; at++) pool.put(`${name}${at}`, holder(name, `${name}${at % 4}`))
    pool.put('v', holder('v'))
    const served: string[] = []
    for (let turn = 0; turn < 60; turn++) {
      const last = served.at(-1)
      // The next starts as soon as the last ends, which is before its client can ask for another.
      served.push(pool.take()?.charAt(0) ?? '')
      if (last === 'v') pool.put('v', holder('v'))
    }
    const count = (name: string) => served.filter((each) => each === name).length
    assert.deepEqual([count('a'), count('b'), count('v')], [20, 20, 20])
  })

  test('serves networks in turns, and the clients of each in turns', () => {
    const pool = createFairPool<string>({ capacity: 10 })
    for (const [name, client] of [
      ['x1', 'x'],
      ['x2', 'x'],
      ['y1', 'y'],
    ] as const)
      pool.put(name, holder('n', client))
    fill(pool, 'm1', 'm2')
    const order = Array.from({ length: 5 }, () => pool.take())
    assert.deepEqual(order, ['x1', 'm1', 'y1', 'm2', 'x2'])
    assert.equal(pool.take(), undefined)
  })
})

interface Step {
  does: 'put' | 'remove' | 'take' | 'keep'
  network: number
  client: number
  link: number
  weight: number
}

const steps = fc.array(
  fc.record<Step>({
    does: fc.constantFrom('put', 'put', 'put', 'remove', 'take', 'keep'),
    network: fc.nat(4),
    client: fc.nat(2),
    link: fc.nat(4),
    weight: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 80 },
)

type Held = Map<number, { holder: Holder; weight: number; isKept: boolean }>

/** Two of the networks are of one allocation. */
const of = (network: number, client: number): Holder =>
  allocated(network < 2 ? 'a' : `n${network}`, `n${network}`, `n${network}c${client}`)

/** What each holder has at one level, counted anew. */
function sums(held: Held, keyOf: (holder: Holder) => string | number | undefined): Map<string | number, number> {
  const all = new Map<string | number, number>()
  for (const { holder: each, weight } of held.values()) {
    const key = keyOf(each)
    if (key !== undefined) all.set(key, (all.get(key) ?? 0) + weight)
  }
  return all
}

const largest = (all: Map<unknown, number>) => Math.max(0, ...all.values())

/** Runs steps, and calls back with what was held before each entry was put, and what gave way for it. */
function run(
  capacity: number,
  all: Step[],
  { weighs, keeps }: { weighs: boolean; keeps: boolean },
  onPut: (before: Held, put: { entry: number; holder: Holder; weight: number }, leaving: readonly number[]) => void,
): void {
  const pool = createFairPool<number>({ capacity })
  const held: Held = new Map()
  for (const [entry, { does, network, client, link, weight: any }] of all.entries()) {
    const weight = weighs ? any : 1
    const who = { ...of(network, client), about: link === 0 ? undefined : link }
    const [other] = [...held.keys()].slice(network)
    if (does === 'put') {
      const isRefused = pool.isRefused(who)
      const before = new Map(held)
      held.set(entry, { holder: who, weight, isKept: false })
      const leaving = pool.put(entry, who, weight)
      if (!weighs) assert.equal(leaving.includes(entry), isRefused)
      for (const each of leaving) assert.ok(held.delete(each), 'nobody gives way twice')
      onPut(before, { entry, holder: who, weight }, leaving)
    } else if (does === 'take') {
      const taken = pool.take()
      if (taken !== undefined) assert.ok(held.delete(taken))
    } else if (does === 'remove' && other !== undefined) {
      assert.equal(pool.remove(other), held.delete(other))
    } else if (keeps && other !== undefined) {
      pool.keep(other)
      Object.assign(held.get(other) ?? {}, { isKept: true })
    }
    assert.equal(pool.total(), largest(sums(held, () => 'all')))
    assert.ok(pool.total() <= capacity)
    assert.equal(pool.length(), held.size)
  }
}

const check = <T>(property: fc.IProperty<T>) => fc.assert(property, { numRuns: runs(300) })

describe('whatever happens to a fair pool', () => {
  test('it never has more than its capacity, keeps what must stay, and nobody gives way while all fits', () => {
    check(
      fc.property(fc.integer({ min: 4, max: 12 }), steps, (capacity, all) => {
        run(capacity, all, { weighs: true, keeps: true }, (before, { weight }, leaving) => {
          const total = largest(sums(before, () => 'all'))
          assert.equal(leaving.length > 0, total + weight > capacity)
          for (const each of leaving) assert.notEqual(before.get(each)?.isKept, true)
        })
      }),
    )
  })

  test('a newcomer is refused only when no allocation and no link has more than its own would', () => {
    check(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (capacity, all) => {
        run(capacity, all, { weighs: false, keeps: false }, (before, { entry, holder: who }, leaving) => {
          if (!leaving.includes(entry)) return
          assert.deepEqual(leaving, [entry])
          const allocations = sums(before, ({ allocation }) => allocation)
          const links = sums(before, ({ about }) => about)
          const own = Math.max(allocations.get(who.allocation) ?? 0, links.get(who.about ?? '') ?? 0) + 1
          assert.ok(own >= largest(allocations) && own >= largest(links), 'a larger holder would have given way')
        })
      }),
    )
  })

  test('whoever gives way is of the allocation or the link that has most', () => {
    check(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (capacity, all) => {
        run(capacity, all, { weighs: false, keeps: false }, (before, { entry, holder: who, weight }, leaving) => {
          const after: Held = new Map(before).set(entry, { holder: who, weight, isKept: false })
          const allocations = sums(after, ({ allocation }) => allocation)
          const links = sums(after, ({ about }) => about)
          const most = Math.max(largest(allocations), largest(links))
          for (const each of leaving) {
            const { allocation, about } = (after.get(each) as { holder: Holder }).holder
            assert.ok(allocations.get(allocation) === most || links.get(about ?? '') === most)
          }
        })
      }),
    )
  })

  test('an entry is taken after no more than was ahead of it', () => {
    check(
      fc.property(steps, fc.nat(4), fc.nat(2), (all, ownNetwork, ownClient) => {
        const pool = createFairPool<number>({ capacity: 1000 })
        for (const [entry, { does, network, client }] of all.entries()) {
          if (does === 'take') pool.take()
          else pool.put(entry, of(network, client))
        }
        const who = of(ownNetwork, ownClient)
        const ahead = pool.ahead(who).ofAll
        pool.put(-1, who)
        let taken = 0
        while (pool.take() !== -1) taken++
        assert.ok(taken <= ahead, `${taken} were taken, ${ahead} were ahead`)
      }),
    )
  })
})
