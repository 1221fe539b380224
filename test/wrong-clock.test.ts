// A machine whose clock is a year ahead at one start, as one without a battery may be.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createDatabase } from './support/drivers.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { urlOf } from './support/postgres.ts'
import { poll } from './support/poll.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, visit } from './support/server.ts'
import { wallClock } from './support/wall-clock.ts'
import { UNLIMITED } from './support/workload.ts'

const DAY = 86_400_000
const stores: [name: string, env: (t: TestContext) => Promise<Record<string, string> | undefined>][] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async (t) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  ],
]

const metric = async ({ url }: Service, name: string) =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec(await (await fetch(`${url}/metrics`)).text())?.[1])

async function stop(service: Service): Promise<void> {
  service.process.kill('SIGTERM')
  await exitOf(service)
}

for (const [name, envOf] of stores) {
  test(`a clock that is a year ahead at one start costs no scan (${name})`, async (t) => {
    const at = (days: number) => new Date(Date.now() + days * DAY).toISOString()
    const clock = wallClock(t, at(0))
    const store = await envOf(t)
    if (clock === undefined || store === undefined) return
    const dataDir = temporaryFolder(t)
    const env = { ...clock.env, ...store, SCAN_RETENTION: '30d' }
    const startAt = (days: number) => {
      clock.set(at(days))
      return start(t, dataDir, UNLIMITED, { env })
    }
    const rows = async ({ url }: Service, token: string) =>
      (await (await fetch(`${url}/api/manage/${token}/scans.csv`)).text()).trim().split('\n').length - 1
    const go = ({ url }: Service, code: string) =>
      visit(`${url}/${code}`, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' })

    const first = await startAt(0)
    const { code, token } = await create(first, { target: 'https://example.com/' })
    for (let visits = 0; visits < 20; visits++) await go(first, code)
    await poll(async () => (await rows(first, token)) === 20)
    await stop(first)

    const wrong = await startAt(365)
    await go(wrong, code)
    await poll(async () => (await rows(wrong, token)) >= 21)
    assert.equal(await metric(wrong, 'quirl_scans_pruned_total'), 0)
    // The clock of PostgreSQL is right, and the earlier one counts.
    const isAlone = name === 'SQLite'
    assert.equal(await metric(wrong, 'quirl_clock_doubted'), Number(isAlone))
    assert.equal(wrong.output().includes('the clock is days ahead'), isAlone)
    await stop(wrong)

    const right = await startAt(0)
    assert.equal(await rows(right, token), 21)
    assert.equal(await metric(right, 'quirl_clock_doubted'), 0)
    assert.doesNotMatch(right.output(), /raw scans older/)
  })
}
