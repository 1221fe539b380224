import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Topic } from '../bus/bus.ts'
import { createLocalBus } from '../bus/local.ts'
import type { ChangedLinks } from '../scans/folding/fold.ts'
import { shareFolds } from './changes.ts'

/** A bus that records what is published, and the folds of a process. */
function start() {
  const published: string[] = []
  const refreshed: ChangedLinks[] = []
  let fold = (_changed: ChangedLinks) => {}
  let receive = (_keys: string[]) => {}
  let gap = () => {}
  const bus = {
    ...createLocalBus(),
    publish: (topic: Topic, key: string) => void published.push(`${topic} ${key}`),
    subscribe: (_topic: Topic, handler: typeof receive) => void (receive = handler),
    onGap: (handler: () => void) => void (gap = handler),
  }
  const refresh = (changed: ChangedLinks) => void refreshed.push(changed)
  shareFolds(bus, { onFold: (listener) => void (fold = listener), refresh })
  return {
    published,
    refreshed,
    fold: (changed: ChangedLinks) => fold(changed),
    receive: (...keys: string[]) => receive(keys),
    gap: () => gap(),
  }
}

test('folds name their links to the other nodes, those of a second together', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { published, fold } = start()
  fold([1, 2])
  for (let at = 0; at < 10; at++) fold([2, 3])
  assert.deepEqual(published, ['scans 1', 'scans 2'])
  t.mock.timers.tick(1000)
  assert.deepEqual(published.slice(2), ['scans 2', 'scans 3'])
})

test('a fold of many links, or of links that it does not list, names none', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { published, fold } = start()
  fold(undefined)
  fold(Array.from({ length: 600 }, (_, at) => at))
  fold(Array.from({ length: 600 }, (_, at) => 1000 + at))
  t.mock.timers.tick(1000)
  assert.deepEqual(published, ['scans *', 'scans *'])
})

test('what other nodes fold is refreshed, and everything after a gap', () => {
  const { refreshed, receive, gap } = start()
  receive('1', '2', 'x')
  receive('3', '*')
  gap()
  assert.deepEqual(refreshed, [[1, 2], undefined, undefined])
})
