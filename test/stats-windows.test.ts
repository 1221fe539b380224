import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { create, startServer, visit } from './support/server.ts'
import { refusalOf, statsClient } from './support/stats-client.ts'

/** In Berlin it is the day after. */
const NOW = Date.UTC(2026, 10, 21, 23, 30)
const HOUR = 3_600_000

interface Stats {
  days: number
  from: string
  to: string
  totals: { scans: number }
  series: { date: string; scans: number }[]
  hours?: object[]
  heat?: number[][]
  breakdowns: Record<string, { value: string | null; scans: number }[]>
  compared?: { from: string; to: string; totals: { scans: number }; by_audience?: unknown }
}

/** A service with a link that was visited when the clock of Berlin changed, twice, and now. */
async function startWithLink(t: TestContext) {
  const clock = { now: Date.UTC(2026, 9, 25, 0, 10) }
  const server = await startServer(t, {}, () => clock.now)
  const link = await create(server, { target: 'https://example.com/' })
  for (const at of [clock.now, clock.now + HOUR, NOW]) {
    clock.now = at
    await visit(link.short_url)
  }
  return {
    ...server,
    link,
    ...statsClient<Stats>(server, link),
  }
}

test('a window has its first and its last day, in the time zone, whenever it is', async (t) => {
  const { stats } = await startWithLink(t)
  const spanOf = async (query: string) => {
    const { days, from, to, totals, series } = await stats(query)
    assert.deepEqual([series.length, series[0]?.date, series.at(-1)?.date], [days, from, to])
    return [days, from, to, totals.scans]
  }
  const october = [31, '2026-10-01', '2026-10-31', 2]
  assert.deepEqual(await spanOf('from=2026-10-01&to=2026-10-31'), october)
  assert.deepEqual(await spanOf('from=2026-10-01&to=2026-10-31&tz=Europe/Berlin'), october)
  assert.deepEqual(await spanOf('from=2026-10-25&to=2026-10-25'), [1, '2026-10-25', '2026-10-25', 2])
  assert.deepEqual(await spanOf('from=2026-11-21'), [1, '2026-11-21', '2026-11-21', 1])
  assert.deepEqual(await spanOf('from=2026-11-21&tz=Europe/Berlin'), [2, '2026-11-21', '2026-11-22', 1])
  assert.deepEqual(await spanOf('from=2024-01-01&to=2024-12-31'), [366, '2024-01-01', '2024-12-31', 0])
  assert.deepEqual(await spanOf('from=0001-01-01&to=0001-01-02&previous=true'), [2, '0001-01-01', '0001-01-02', 0])
})

test('a series has an entry for each hour, day, week or month of the window', async (t) => {
  const { stats } = await startWithLink(t)
  const datesOf = async (query: string) => (await stats(query)).series.map(({ date }) => date)
  const day = 'from=2026-10-25&to=2026-10-25&tz=Europe/Berlin'
  const { series, hours } = await stats(`${day}&interval=hour`)
  assert.equal(series.length, 25)
  assert.deepEqual(series.slice(2, 4), [
    { date: '2026-10-25T02:00+02:00', scans: 1, unique_visitors: 1 },
    { date: '2026-10-25T02:00+01:00', scans: 1, unique_visitors: 0 },
  ])
  assert.equal(hours?.length, 25)
  assert.equal((await datesOf('from=2026-03-29&to=2026-03-29&tz=Europe/Berlin&interval=hour')).length, 23)
  assert.equal((await datesOf('from=2026-10-01&to=2026-10-31&interval=hour')).length, 31 * 24)
  assert.deepEqual(await datesOf('from=2026-10-23&to=2026-11-03&interval=week'), [
    '2026-10-23',
    '2026-10-26',
    '2026-11-02',
  ])
  assert.deepEqual(await datesOf('from=2025-12-31&to=2026-02-01&interval=month'), [
    '2025-12-31',
    '2026-01-01',
    '2026-02-01',
  ])
  assert.deepEqual(await stats(`${day}&interval=day`), await stats(day))
})

test('each window that cannot be gets 400 that names the parameter and its bound, for one link and for many', async (t) => {
  const { refusal, ofMany } = await startWithLink(t)
  const refusals: [parameters: Record<string, string | number>, error: string][] = [
    [{ to: '2026-11-01' }, '/from is required where to is given'],
    [{ from: '2026-11-01', to: '2026-11-22' }, '/to must be at most 2026-11-21, today'],
    [{ from: '2026-11-01', to: '2026-11-23', tz: 'Europe/Berlin' }, '/to must be at most 2026-11-22, today'],
    [{ from: '2026-11-22' }, '/from must be at most 2026-11-21, the last day of the window'],
    [{ from: '2026-10-02', to: '2026-10-01' }, '/from must be at most 2026-10-01, the last day of the window'],
    [
      { from: '2025-10-30', to: '2026-10-31' },
      '/from must be at least 2025-10-31: a window that ends on 2026-10-31 has at most 366 days',
    ],
    [{ from: '2026-02-29' }, '/from must be a day of the calendar, such as 2026-10-25'],
    [{ from: '2026-02-01', to: '2026-04-31' }, '/to must be a day of the calendar, such as 2026-10-25'],
    [{ from: '0000-12-31' }, '/from must be a day of the calendar, such as 2026-10-25'],
    [{ from: '2026-1-1' }, '/from must be a day as YYYY-MM-DD, such as 2026-10-25'],
    [{ from: '2026-01-01', to: '' }, '/to must be a day as YYYY-MM-DD, such as 2026-10-25'],
    [{ from: '2026-10-01', days: 30 }, '/days must be absent where from or to is given'],
    [{ from: '2026-10-01', to: '2026-10-02', days: 2 }, '/days must be absent where from or to is given'],
    [{ interval: 'year' }, '/interval must be hour, day, week or month'],
    [{ compare: 'month' }, '/compare must be previous or year'],
    [
      { from: '2026-10-01', to: '2026-11-01', interval: 'hour' },
      '/interval must not be hour: the window has 32 days, and hours need at most 31',
    ],
    [{ days: 32, interval: 'hour' }, '/interval must not be hour: the window has 32 days, and hours need at most 31'],
  ]
  for (const [parameters, error] of refusals) {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
    assert.deepEqual(await refusal(query.toString()), [400, 'invalid_request', error])
    assert.deepEqual(await refusalOf(await ofMany(parameters)), [400, 'invalid_request', error])
  }
})

test('the statistics of many links have the same windows and intervals, up to 40,000 periods', async (t) => {
  const { link, stats, ofMany } = await startWithLink(t)
  const parameters = { from: '2026-10-20', to: '2026-10-26', tz: 'Europe/Berlin', interval: 'hour' }
  const { totals, series } = await stats(new URLSearchParams(parameters).toString())
  assert.equal(series.length, 7 * 24 + 1)
  const many = (await (await ofMany(parameters)).json()) as Stats & { links: Stats[]; total: Stats }
  assert.deepEqual([many.days, many.from, many.to], [7, '2026-10-20', '2026-10-26'])
  for (const row of [many.links[0], many.total]) {
    assert.deepEqual(row?.totals, totals)
    assert.deepEqual(row?.series, series)
  }
  const tokens = Array.from({ length: 500 }, () => link.token)
  assert.deepEqual(await refusalOf(await ofMany({ tokens, days: 4, interval: 'hour' })), [
    400,
    'invalid_request',
    '/days must be at most 3 days for 500 tokens, as the hours of all may be 40000',
  ])
  assert.deepEqual(await refusalOf(await ofMany({ tokens, from: '2026-01-01', to: '2026-03-22' })), [
    400,
    'invalid_request',
    '/from must begin a window of at most 80 days for 500 tokens, as the days of all may be 40000',
  ])
  assert.equal((await ofMany({ tokens, from: '2026-01-01', to: '2026-03-21', interval: 'month' })).status, 200)
})

test('a share has windows and intervals from a day on, and all else only with the single scans', async (t) => {
  const { url, stats, share } = await startWithLink(t)
  const [bare, full] = [await share({}), await share({ csv: true })]
  const api = (token: string, query: string) => fetch(`${url}/api/share/${token}/stats?${query}`)
  for (const query of ['from=2026-10-01&to=2026-10-31&interval=week', 'days=1&interval=day&previous=true'])
    assert.deepEqual(await (await api(bare, query)).json(), await stats(query))
  for (const [name, value] of [
    ['interval', 'hour'],
    ['compare', 'previous'],
    ['heat', 'true'],
    ['limit', '5'],
  ] as const) {
    const query = `from=2026-10-25&to=2026-10-26&${name}=${value}`
    assert.deepEqual(await (await api(full, query)).json(), await stats(query))
    const error = `/${name} needs a share that includes the single scans`
    assert.deepEqual(await refusalOf(await api(bare, query)), [403, 'forbidden', error])
  }
})

test('a window is compared with the one before or with the year before, today until the same time of day', async (t) => {
  const { stats, ofMany } = await startWithLink(t)
  const compared = async (query: string) => {
    const { from, to, totals } = (await stats(query)).compared ?? assert.fail(query)
    return [from, to, totals.scans]
  }
  assert.deepEqual(await compared('from=2026-10-26&to=2026-10-27&compare=previous'), ['2026-10-24', '2026-10-25', 2])
  assert.deepEqual(await compared('days=7&compare=year'), ['2025-11-15', '2025-11-21', 0])
  assert.deepEqual(await compared('from=2024-02-29&to=2024-02-29&compare=year'), ['2023-02-28', '2023-02-28', 0])
  assert.deepEqual(await compared('days=28&compare=previous'), ['2026-09-27', '2026-10-24', 0])
  assert.deepEqual(await compared('days=27&compare=previous'), ['2026-09-29', '2026-10-25', 2])
  // In Berlin it is half past midnight, when the visits of that day were still to come.
  assert.deepEqual(await compared('days=28&compare=previous&tz=Europe/Berlin'), ['2026-09-28', '2026-10-25', 0])
  assert.equal((await stats('days=7')).compared, undefined)
  const body = { from: '2026-10-26', to: '2026-10-27', compare: 'previous' }
  const many = (await (await ofMany(body)).json()) as { links: Stats[]; total: Stats }
  const { by_audience: _apart, ...expected } =
    (await stats(new URLSearchParams(body).toString())).compared ?? assert.fail()
  assert.deepEqual([many.links[0]?.compared, many.total.compared], [expected, expected])
})

test('heat counts the scans of each hour of the week in local time', async (t) => {
  const { stats, refusal } = await startWithLink(t)
  const hotHours = async (query: string) =>
    ((await stats(`from=2026-10-01&heat=true&${query}`)).heat ?? assert.fail(query)).flatMap((hours, day) => {
      assert.equal(hours.length, 24)
      return hours.flatMap((scans, hour) => (scans > 0 ? [[day, hour, scans]] : []))
    })
  // Sunday at 0:10 and 1:10, and Saturday at 23:30.
  assert.deepEqual(await hotHours(''), [
    [5, 23, 1],
    [6, 0, 1],
    [6, 1, 1],
  ])
  // The clock was set back between the two, both of which were at 2:10.
  assert.deepEqual(await hotHours('tz=Europe/Berlin'), [
    [6, 0, 1],
    [6, 2, 2],
  ])
  assert.deepEqual(await hotHours('audience=human'), [], 'the visits are those of a program')
  assert.equal((await stats('days=7')).heat, undefined)
  assert.deepEqual(await refusal('heat=yes'), [400, 'invalid_request', '/heat must be true or false'])
})

test('limit is how many values a breakdown lists, and the sources are always both', async (t) => {
  const { stats, refusal, link } = await startWithLink(t)
  for (let at = 0; at < 12; at++) await visit(link.short_url, { referer: `https://${at}.example.com/` })
  await visit(`${link.short_url}?qr=1`)
  const sizes = async (query: string) => {
    const { breakdowns } = await stats(query)
    return ['referrer', 'source', 'answer', 'placement'].map((name) => breakdowns[name]?.length)
  }
  assert.deepEqual(await sizes('days=30'), [10, 2, 1, 1])
  assert.deepEqual(await sizes('days=30&limit=1000'), [13, 2, 1, 1])
  assert.deepEqual(await sizes('days=30&limit=1'), [1, 2, 1, 1])
  const [all, one] = [await stats('days=30'), await stats('days=30&limit=1')]
  assert.deepEqual(one.totals, all.totals)
  assert.deepEqual(one.breakdowns['referrer'], all.breakdowns['referrer']?.slice(0, 1))
  for (const [limit, detail] of [
    ['0', 'must be at least 1'],
    ['1001', 'must be at most 1000'],
    ['ten', 'must be a whole number'],
  ])
    assert.deepEqual(await refusal(`limit=${limit}`), [400, 'invalid_request', `/limit ${detail}`])
})
