import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scan } from '../../test/support/fold-folders.ts'
import { KEYS_OF_ADDRESS } from './describing/visitor-key.ts'
import { createVisitorCounter } from './visitor-count.ts'

const bounds = { links: 2, ofLink: 3 }

/** Counts visits of a link, by the people who make them. */
function visits(counter: ReturnType<typeof createVisitorCounter>, linkId: number, ...people: number[]): void {
  for (const person of people)
    counter.count(scan({ linkId, visitor: (100 * linkId + person) * KEYS_OF_ADDRESS }), () => {})()
}

/** A fold that finds so many people of each link. @returns the links that it has read */
function fold(counter: ReturnType<typeof createVisitorCounter>, people: Record<number, number>): number[] {
  const { linkIds, finish } = counter.startFold()
  finish((linkId) => people[linkId] ?? 0)
  return linkIds
}

test('near a number of people, later visits are certain only once they are folded', () => {
  const counter = createVisitorCounter(false, bounds)
  assert.equal(counter.has(1, 5), undefined)
  counter.request(1)
  fold(counter, { 1: 4 })
  assert.deepEqual([counter.has(1, 4), counter.has(1, 5)], [true, false])
  visits(counter, 1, 1)
  // A fifth person, or one of the four.
  assert.deepEqual([counter.has(1, 4), counter.has(1, 5), counter.has(1, 6)], [true, undefined, false])
  fold(counter, { 1: 4 })
  assert.equal(counter.has(1, 5), false)
  // That person is known from now on, and makes no other visit wait.
  visits(counter, 1, 1, 1)
  assert.equal(counter.has(1, 5), false)
})

test('of a link that had no people when its number was read, all are known: up to 64 of an address, as the fold counts them', () => {
  const counter = createVisitorCounter(false, { links: 2, ofLink: 100 })
  counter.request(1)
  counter.startRead(1)(0)
  for (let agent = 0; agent < 80; agent++)
    counter.count(scan({ linkId: 1, visitor: KEYS_OF_ADDRESS, browser: `${agent}` }), () => {})()
  assert.deepEqual([counter.has(1, 64), counter.has(1, 65)], [true, false])
  visits(counter, 1, 1, 2)
  assert.deepEqual([counter.has(1, 66), counter.has(1, 67)], [true, false])
  counter.expire([1])
  counter.startRead(1)(70)
  visits(counter, 1, 3)
  // Whoever was added otherwise may be that person.
  assert.deepEqual([counter.has(1, 70), counter.has(1, 71)], [true, undefined])
  counter.request(2)
  counter.startRead(2)(1)
  visits(counter, 2, 1)
  assert.equal(counter.has(2, 2), undefined)
})

test('the keys of a link in memory are bounded: of further people, only the visits are counted until they are folded', () => {
  const counter = createVisitorCounter(false, bounds)
  counter.request(1)
  fold(counter, { 1: 0 })
  visits(counter, 1, 1, 2, 3)
  visits(counter, 1, 9, 9, 9)
  assert.deepEqual([counter.has(1, 4), counter.has(1, 6), counter.has(1, 7)], [undefined, undefined, false])
  fold(counter, { 1: 4 })
  assert.deepEqual([counter.has(1, 4), counter.has(1, 5)], [true, false])
  // The same for one whose people were all known before.
  counter.request(2)
  counter.startRead(2)(0)
  visits(counter, 2, 1, 2, 3, 9, 9)
  assert.deepEqual([counter.has(2, 3), counter.has(2, 5), counter.has(2, 6)], [undefined, undefined, false])
})

test('a count is dropped for another, and when no visit has used it lately', () => {
  const counter = createVisitorCounter(false, bounds)
  for (const link of [1, 2, 3]) counter.request(link)
  assert.deepEqual(fold(counter, { 1: 1, 2: 2, 3: 3 }), [2, 3])
  assert.deepEqual([counter.least(1), counter.least(2), counter.least(3)], [0, 2, 3])
  for (let folds = 0; folds < 70; folds++) {
    counter.has(3, 1)
    fold(counter, {})
  }
  assert.deepEqual([counter.has(2, 1), counter.has(3, 1)], [undefined, true])
})

test('a fold that fails, or that began before visitors were added otherwise, leaves what is not known unknown', () => {
  const counter = createVisitorCounter(false, bounds)
  counter.request(1)
  // It fails, and does not finish.
  counter.startFold()
  assert.equal(counter.has(1, 1), undefined)
  const { finish } = counter.startFold()
  counter.expire([1])
  finish(() => 5)
  assert.equal(counter.has(1, 1), undefined)
  assert.deepEqual(fold(counter, { 1: 7 }), [1])
  assert.deepEqual([counter.has(1, 7), counter.has(1, 8)], [true, false])
})
