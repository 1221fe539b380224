// Two nodes on one PostgreSQL, of which one has a clock that is a day ahead (docs/scale.md).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quirl } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, visit, type Created } from './support/server.ts'
import { wallClock } from './support/wall-clock.ts'
import { UNLIMITED } from './support/workload.ts'

const DAY_MS = 86_400_000
const TARGET = 'https://example.com/'

test('each visit is counted once, on the day of the node that has answered it; what lasts by the clock ends a day early on the one', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const clock = wallClock(t, new Date(Date.now() + DAY_MS).toISOString())
  if (clock === undefined) return
  const env = { DATABASE_URL: urlOf(await createDatabase()) }
  const right = await start(t, undefined, UNLIMITED, { env })
  const ahead = await start(t, undefined, UNLIMITED, { env: { ...env, ...clock.env } })
  const link = await create(right, { target: TARGET })
  for (const { url } of [right, ahead, ahead]) assert.equal((await visit(`${url}/${link.code}`)).status, 302)

  const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T
  for (const { url } of [right, ahead]) {
    const details = () => read<{ totals: { scans: number } }>(`${url}/api/manage/${link.token}`)
    await poll(async () => (await details()).totals.scans === 3)
  }
  interface Stats {
    to: string
    unique_visitors: number
    series: { date: string; scans: number }[]
  }
  const statsOf = ({ url }: Service) => read<Stats>(`${url}/api/manage/${link.token}/stats`)
  const [early, late] = [await statsOf(right), await statsOf(ahead)]
  assert.equal(Date.parse(late.to) - Date.parse(early.to), DAY_MS)
  assert.deepEqual([early.series.at(-1)?.scans, early.unique_visitors], [1, 1])
  assert.deepEqual([late.series.slice(-2).map(({ scans }) => scans), late.unique_visitors], [[1, 2], 2])

  const key = { 'idempotency-key': 'tried-again-on-another-node' }
  const codes = new Set<string>()
  for (const { url } of [right, ahead])
    codes.add(((await (await post(`${url}/api/links`, { target: TARGET }, key)).json()) as Created).code)
  assert.equal(codes.size, 2)
  assert.equal((await fetch(`${right.url}/api/manage/${link.token}/rotate`, { method: 'POST' })).status, 200)
  const statuses = [right, ahead].map(async ({ url }) => (await fetch(`${url}/api/manage/${link.token}`)).status)
  assert.deepEqual(await Promise.all(statuses), [200, 404])
  const doctor = await quirl(ahead.dataDir, 'doctor', `--database-url=${env.DATABASE_URL}`)
  assert.match(doctor.stdout + doctor.stderr, /its clock is 86\d{3} seconds behind of this machine's/)
})
