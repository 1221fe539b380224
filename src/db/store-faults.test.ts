import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { startThread } from '../lib/thread-calls.ts'
import { createStoreFaults } from './store-faults.ts'
import { StoreBusy } from './unavailable.ts'

const sqliteError = (errcode: number) => Object.assign(new Error('of SQLite'), { errcode })

test('an error of another thread, which has lost its class, is a fault of the store as well', async (t) => {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const code = `
    import { answerCalls } from ${module('../lib/thread-calls.ts')}
    import { ChangesHeld, StoreUnavailable } from ${module('./unavailable.ts')}
    answerCalls({ fail: (isHeld) => { throw isHeld ? new ChangesHeld('held') : new StoreUnavailable('away') } })`
  const thread = startThread<{ fail: (isHeld: boolean) => void }>(
    new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    { name: 'failing' },
  )
  undoLater(t, () => thread.terminate())
  const faults = createStoreFaults(() => 0, { error: () => assert.fail(), warn: () => assert.fail() })
  const noted = (isHeld: boolean) =>
    thread.call('fail', isHeld).then(
      () => assert.fail(),
      (error: unknown) => faults.note(error, true),
    )
  assert.match((await noted(false)) ?? '', /may or may not have been saved/)
  assert.match((await noted(true)) ?? '', /is being moved/)
})

test('a fault of the store is reported for the asked time after its last occurrence, and counted', () => {
  let now = 0
  const faults = createStoreFaults(() => now, { error: () => assert.fail(), warn: () => assert.fail() })
  assert.equal(faults.recent(10_000), undefined)
  const [CONSTRAINT, BUSY, CORRUPT, IOERR_FSYNC] = [19, 5, 11, 1034]
  for (const error of [new TypeError('a bug'), sqliteError(CONSTRAINT)])
    assert.equal(faults.note(error, true), undefined)
  assert.equal(faults.recent(10_000), undefined)
  for (const code of [BUSY, IOERR_FSYNC])
    assert.match(faults.note(sqliteError(code), true) ?? '', /may or may not have been saved/)
  assert.match(faults.recent(10_000) ?? '', /the store is unavailable/)
  now += 9_999
  assert.ok(faults.note(sqliteError(CORRUPT), false))
  now += 1
  assert.match(faults.recent(10_000) ?? '', /damaged .* put a backup in its place by "quirl restore"$/)
  now += 9_999
  assert.equal(faults.recent(10_000), undefined)
  assert.equal(faults.metrics[0]?.read(), 3)
})

test('a request that waited in vain for other work is no fault of the store', () => {
  const faults = createStoreFaults(() => 0, { error: () => assert.fail(), warn: () => assert.fail() })
  assert.match(faults.note(new StoreBusy('all connections are in use'), true) ?? '', /may or may not have been saved/)
  assert.equal(faults.recent(10_000), undefined)
})

test('a lock that could not be taken again is a fault until it could', () => {
  const lines: string[] = []
  const note = (_: object, text: string) => void lines.push(text)
  const faults = createStoreFaults(() => 0, { error: note, warn: note })
  faults.folder.onUnlocked(['lock'])
  assert.equal(faults.recent(0), undefined)
  for (let time = 0; time < 3; time++) faults.folder.onUnlocked([], new Error('another quirl is using it'))
  assert.match(faults.recent(0) ?? '', /could not take it again/)
  faults.folder.onUnlocked([])
  assert.equal(faults.recent(0), undefined)
  assert.equal(lines.length, 2, 'a fault that goes on is logged once a minute')
})
