import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { keepHold, until } from './hold.ts'

/** A hold whose clock is that of the timers, and what was said when it was lost. */
function openHold(t: TestContext, renew: () => Promise<void>) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] })
  const losses: string[] = []
  const hold = keepHold(renew, ({ message }) => losses.push(message), Date.now)
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      t.mock.timers.tick(1000)
      await turn()
    }
  }
  return { hold, losses, pass }
}

test('a hold is lost with the first renewal that is refused, and is not renewed again', async (t) => {
  let asked = 0
  const { hold, losses, pass } = openHold(t, async () => {
    if (++asked === 5) throw new Error('another command holds it')
  })
  await hold.begin()
  await pass(60)
  assert.equal(asked, 5)
  assert.equal(losses.length, 1)
  assert.match(
    losses[0] ?? '',
    /^the move has ended, because .* \(another command holds it\): the copy is not complete/,
  )
})

test('a hold is lost when no renewal is answered for as long as it lasts, and there is one renewal at a time', async (t) => {
  let asked = 0
  const { hold, losses, pass } = openHold(t, async () => {
    if (++asked > 1) await new Promise(() => {})
  })
  await hold.begin()
  await pass(9)
  assert.deepEqual(losses, [])
  await pass(1)
  assert.match(losses[0] ?? '', /it was not renewed in time/)
  assert.equal(asked, 2)
})

test('a process that was suspended for longer does not ask first: others may have changed the store since', async (t) => {
  let asked = 0
  const { hold, losses, pass } = openHold(t, async () => void asked++)
  await hold.begin()
  t.mock.timers.setTime(Date.now() + 60_000)
  await pass(1)
  assert.equal(losses.length, 1)
  assert.equal(asked, 1)
})

test('a hold that is ended is never lost, and one that cannot begin says why', async (t) => {
  const { hold, losses, pass } = openHold(t, async () => {})
  await hold.begin()
  await pass(30)
  hold.end()
  await pass(30)
  assert.deepEqual(losses, [])
  const refused = keepHold(
    async () => Promise.reject(new Error('no')),
    () => assert.fail('it was never held'),
  )
  await assert.rejects(refused.begin(), /^Error: no$/)
  assert.deepEqual(losses, [])
})

test('work that waits for ever ends with the signal', async () => {
  const ending = new AbortController()
  const waiting = until(ending.signal, () => new Promise(() => {}))
  ending.abort(new Error('lost'))
  await assert.rejects(waiting, /^Error: lost$/)
  await assert.rejects(
    until(ending.signal, async () => assert.fail('it began')),
    /^Error: lost$/,
  )
})
