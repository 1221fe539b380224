import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { drivers } from '../../test/support/drivers.ts'
import { undoLater } from '../../test/support/cleanup.ts'
import { judge, openRemovalClock } from './removal-clock.ts'
import type { SeenClock } from './clock-store.ts'
import type { Database } from './database.ts'

const MINUTE = 60_000
const DAY = 86_400_000
// In the past, because the earlier of both clocks counts: PostgreSQL has one of its own.
const START = Date.UTC(2020, 0, 1)

/** Checks of one store, at times that the test names. */
function openChecks(t: TestContext, db: Database) {
  const warnings: string[] = []
  const log = {
    warn: (_: object, text: string) => void warnings.push(text),
    error: (details: object) => assert.fail(JSON.stringify(details)),
  }
  return {
    warnings,
    /** Starts the service at a time, and checks the clock each ten minutes until another. */
    run: async (from: number, to = from): Promise<number> => {
      let now = from
      const clock = openRemovalClock({ db, now: () => now, log })
      undoLater(t, clock.close)
      await clock.time()
      for (now += 10 * MINUTE; now <= to; now += 10 * MINUTE) await clock.check()
      await clock.close()
      return clock.time()
    },
  }
}

for (const { name, open } of drivers) {
  test(`a clock that is a year ahead at one start removes nothing, and is forgotten with the next (${name})`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const { run, warnings } = openChecks(t, db)
    assert.equal(await run(START), START)
    assert.equal(await run(START + 365 * DAY, START + 365 * DAY + 600 * MINUTE), START)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /^the clock is days ahead of when quirl ran last: nothing is removed for its age/)
    assert.equal(await run(START + DAY), START + DAY)
    // The doubt begins anew.
    assert.equal(await run(START + 200 * DAY, START + 200 * DAY + 1000 * MINUTE), START + DAY)
  })

  test(`after a pause of three months, what is old is removed once the service has run for a day, in one piece or more (${name})`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const { run, warnings } = openChecks(t, db)
    await run(START)
    let now = START + 90 * DAY
    assert.equal(await run(now, now + DAY / 2), START)
    // The time in which it is stopped does not count.
    now += 20 * DAY
    assert.equal(await run(now, now + DAY / 4), START)
    now += DAY
    assert.ok((await run(now, now + DAY / 2)) > now)
    assert.match(warnings.at(-1) ?? '', /^quirl has run for a day with the clock that was ahead/)
  })
}

test('a weekend is no reason for a doubt, and a clock that is set back removes less', () => {
  const seen = { seenAt: START, checkedAt: START, doubtedMs: 0 }
  assert.equal(judge(seen, START + 2 * DAY).verdict, 'plausible')
  assert.equal(judge(seen, START + 2 * DAY + 1).verdict, 'doubted')
  assert.equal(judge(seen, START - DAY).seen.seenAt, START)
  assert.equal(judge(seen, START - 30 * DAY).verdict, 'behind')
})

test('a time that was too late is forgotten after a day with the right clock', () => {
  let seen: SeenClock = { seenAt: START + 365 * DAY, checkedAt: START + 365 * DAY, doubtedMs: 0 }
  for (let now = START; now <= START + DAY + 20 * MINUTE; now += 10 * MINUTE) ({ seen } = judge(seen, now))
  assert.ok(seen.seenAt < START + 2 * DAY)
})

test('whatever the clock says, a time that is far ahead is believed only after a day of checks', () => {
  const jump = fc.integer({ min: -400, max: 400 }).map((days) => days * DAY)
  const step = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 15 * MINUTE }) },
    { weight: 1, arbitrary: jump },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      let seen: SeenClock = { seenAt: START, checkedAt: START, doubtedMs: 0 }
      let [now, checks] = [START, 0]
      for (const each of steps) {
        now += each
        const { verdict, seen: next } = judge(seen, now)
        checks = verdict === 'doubted' || verdict === 'behind' ? checks + 1 : 0
        // A day has 96 quarters of an hour, which is what a check counts as at most.
        if (next.seenAt - seen.seenAt > 2 * DAY) assert.ok(verdict === 'believed')
        if (verdict === 'doubted') assert.ok(next.doubtedMs <= checks * 15 * MINUTE)
        seen = next
      }
    }),
  )
})
