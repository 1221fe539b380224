import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fc } from '../../test/support/fast-check.ts'
import type { Visited } from '../links/visited.ts'
import { createResolver } from './resolve.ts'
import { link, revisionOf } from '../../test/support/visited.ts'

test('a code is read once and then cached, whatever its case', async () => {
  let reads = 0
  const { resolve } = createResolver(
    async () => (reads++, link(1)),
    () => 0,
  )
  assert.equal(revisionOf(await resolve('Code')), 1)
  assert.ok(!(resolve('CODE') instanceof Promise))
  assert.equal(reads, 1)
})

test('visits that arrive while a code is read wait for that one read', async () => {
  let reads = 0
  const { resolve } = createResolver(
    async () => (reads++, link(1)),
    () => 0,
  )
  const found = await Promise.all([resolve('code'), resolve('Code'), resolve('CODE')])
  assert.deepEqual(found.map(revisionOf), [1, 1, 1])
  assert.equal(reads, 1)
})

test('a slow read cannot restore what a change has replaced in the meantime', async () => {
  const pending: ((found: Visited) => void)[] = []
  const { resolve, invalidate } = createResolver(
    () => new Promise<Visited>((answer) => pending.push(answer)),
    () => 0,
  )
  const early = resolve('code')
  invalidate('code')
  const late = resolve('code')
  pending[1]?.(link(2))
  assert.equal(revisionOf(await late), 2)
  pending[0]?.(link(1))
  assert.equal(revisionOf(await early), 1)
  assert.equal(revisionOf(await resolve('code')), 2)
})

test('a read that fails is not cached', async () => {
  let fail = true
  const { resolve } = createResolver(
    async () => {
      if (fail) throw new Error('the store is away')
      return link(1)
    },
    () => 0,
  )
  await assert.rejects(async () => resolve('code'), /away/)
  fail = false
  assert.equal(revisionOf(await resolve('code')), 1)
})

test('an unknown code is cached for a short time only', async () => {
  let now = 0
  let found: Visited | undefined
  let reads = 0
  const { resolve } = createResolver(
    async () => (reads++, found),
    () => now,
  )
  assert.equal((await resolve('code')).state, 'unknown')
  found = link(1)
  assert.equal((await resolve('code')).state, 'unknown')
  assert.equal(reads, 1)
  now += 2000
  assert.equal((await resolve('code')).state, 'live')
})

test('an invalid code is not looked up', async () => {
  const { resolve } = createResolver(
    () => assert.fail('the store was read'),
    () => 0,
  )
  for (const text of ['', 'a b', 'a.b', 'ä', '../x', 'x'.repeat(65)])
    assert.equal((await resolve(text)).state, 'unknown')
})

test('deleted and paused links differ from unknown ones', async () => {
  const { resolve } = createResolver(
    async (code) => (code === 'gone' ? 'gone' : link(1, false)),
    () => 0,
  )
  assert.equal((await resolve('gone')).state, 'gone')
  assert.equal((await resolve('paused')).state, 'paused')
})

test('in any order of reads, changes and visits, a visit sees the last acknowledged change', async () => {
  const step = fc.constantFrom('change' as const, 'visit' as const, 'answer' as const)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let stored = 1
      const reads: (() => void)[] = []
      // A read sees the store as of its start, and reads end in any order.
      const find = () => {
        const seen = link(stored)
        return new Promise<Visited>((answer) => reads.push(() => answer(seen)))
      }
      const { resolve, invalidate } = createResolver(find, () => 0)
      const visits: Promise<void>[] = []
      for (const each of steps) {
        if (each === 'change') {
          stored++
          invalidate('code')
        } else if (each === 'visit') {
          const least = stored
          visits.push(Promise.resolve(resolve('code')).then((found) => assert.ok(Number(revisionOf(found)) >= least)))
        } else reads.splice(reads.length > 1 ? 1 : 0, 1).forEach((answer) => answer())
        await Promise.resolve()
      }
      for (const answer of reads) answer()
      await Promise.all(visits)
    }),
    { numRuns: 500 },
  )
})

test('guessed codes take a bounded amount of memory, and evict no link', () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  let reads = 0
  const { resolve } = createResolver(
    (code) => (code === 'code' ? (reads++, link(1)) : undefined),
    () => 0,
  )
  const tryCodes = (from: number, to: number) => {
    // A code is cached at its second look-up.
    for (let at = from; at < to; at++) for (let again = 0; again < 2; again++) resolve(`unknown-${at}`)
    gc()
    return process.memoryUsage().heapUsed
  }
  resolve('code')
  resolve('code')
  const before = tryCodes(0, 50_000)
  const grown = tryCodes(50_000, 250_000) - before
  assert.ok(grown < 2 * 2 ** 20, `${grown} bytes`)
  resolve('code')
  assert.equal(reads, 2)
})
