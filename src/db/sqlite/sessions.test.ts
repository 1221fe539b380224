import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poll } from '../../../test/support/poll.ts'
import { openSessions } from './sessions.ts'
import { isSqliteUnavailable } from './errors.ts'

for (const overlap of [true, false]) {
  test(`after a fault another session is opened, and the failed one is closed ${overlap ? 'after' : 'before'} that, once`, async () => {
    const done: string[] = []
    let fail = () => {}
    let isAway = false
    let count = 0
    const sessions = await openSessions({
      async open(onFault) {
        if (isAway) throw new Error('it cannot be opened')
        const name = count++
        fail = onFault
        done.push(`open ${name}`)
        return {
          name,
          close: async () => void done.push(`close ${name}`),
          abandon: async () => void done.push(`abandon ${name}`),
        }
      },
      overlap,
      onReopened: () => done.push('reopened'),
    })
    assert.equal(sessions.current().name, 0)
    isAway = true
    fail()
    fail()
    assert.throws(() => sessions.current(), isSqliteUnavailable)
    assert.equal(sessions.last().name, 0)
    isAway = false
    await poll(() => sessions.isOpen())
    assert.equal(sessions.current().name, 1)
    await sessions.close()
    const replaced = overlap ? ['open 1', 'abandon 0'] : ['abandon 0', 'open 1']
    assert.deepEqual(done, ['open 0', ...replaced, 'reopened', 'close 1'])
  })
}
