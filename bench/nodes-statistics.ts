// Claim: in PostgreSQL, the statistics of a link with 5,000,000 of 10,000,000 scans take less than 25 ms for 30 days, and less than
// 80 ms for 365. PostgreSQL runs on this machine, without fsync; the rows are made by SQL, on disk in the order of a year of folds.
import { openPostgresSession, type Query } from '../src/nodes/database/session.ts'
import { firstDayOfMonth, monthOf, startOfDay } from '../src/scans/calendar.ts'
import { migrateScans } from '../src/nodes/scans/migrations.ts'
import { openPartitions } from '../src/nodes/scans/partitions.ts'
import { openRowQueries } from '../src/nodes/scans/row-queries.ts'
import { createStatisticsCalls } from '../src/scans/statistics/calls.ts'
import { dimensionNames } from '../src/dimensions/dimensions.ts'
import { addressOf, startPostgres, urlOf } from '../test/support/postgres.ts'
import { makeScan } from './scans.ts'
import { median, printTable } from './support.ts'

const SCANS = Number(process.env['SCANS'] ?? 10_000_000)
const OTHER_LINKS = 1500
const DAYS = 365
const DAY = 86_400_000
const RUNS = 21
/** Values of a dimension in a rollup, as the fold bounds them. */
const VALUES = 200

const now = Date.UTC(2026, 10, 21, 18)

/** Every second scan is of link 1, with 5,000 cities and 300 referrers; the others are of many links. */
const makeScans = `insert into quirl_scans.scans
  select case when i % 2 = 0 then 1 else 2 + (i / 2) % ${OTHER_LINKS} end, ${now - DAYS * DAY} + (i * ${(DAYS * DAY) / SCANS}::float8)::bigint, i,
    2 + (r % 3 = 0)::int, 10 + r % 3, 20 + (r / 8) % 5, 30 + (r / 32) % 6, 40 + (r / 128) % 10,
    case when i % 2 = 0 then 1000 + (r / 16) % 5000 else 0 end, case when i % 2 = 0 then 10000 + (r / 512) % 300 else 9 end,
    (i % 5 = 0)::int, (r % 20 = 0)::int, 0
  from (select i, abs(hashint8(i))::bigint as r from generate_series(0, ${SCANS - 1}::bigint) as i) as numbered`

const counts = 'sum(1 - bot) as h, sum(first * (1 - bot)) as hf, sum(bot) as b, sum(first * bot) as bf'
const makeQuarters = `insert into quirl_scans.quarter_hourly select link_id, slot, h, hf, b, bf from
  (select link_id, at / 900000 as slot, min(at) as since, ${counts} from quirl_scans.scans group by 1, 2) as sums order by since`
const makeTotals = `insert into quirl_scans.totals select link_id, ${counts}, count(*) filter (where source = 2), max(at)
  from quirl_scans.scans group by link_id`

const month = `((extract(year from to_timestamp(at / 1000) at time zone 'UTC') - 1970) * 12
  + extract(month from to_timestamp(at / 1000) at time zone 'UTC') - 1)::int`

/** Values beyond the bound count as others, as those do that come last on a day. */
const makeRollup = (table: string, period: string) => `insert into quirl_scans.${table}
  select link_id, period, dimension, case when place <= ${VALUES} then value else 1 end as value, sum(h), sum(hf), sum(b), sum(bf) from
    (select *, row_number() over (partition by link_id, period, dimension order by since) as place from
      (select link_id, ${period} as period, dimension, value, min(at) as since, ${counts} from quirl_scans.scans,
        lateral (values ${dimensionNames
          .slice(0, -1)
          .map((name, at) => `(${at}, ${name})`)
          .join()}) as each (dimension, value)
        group by 1, 2, 3, 4) as sums) as placed
  group by link_id, period, dimension, 4 order by period, min(since)`

async function fill(session: ReturnType<typeof openPostgresSession>): Promise<void> {
  const { query } = session
  await migrateScans(session)
  const first = monthOf(now - DAYS * DAY)
  const months = Array.from({ length: monthOf(now) - first + 1 }, (_, at) => startOfDay(firstDayOfMonth(first + at)))
  await openPartitions(session).prepare(months.map((at) => makeScan(0, 1, at, false)))
  await makeTexts(query)
  for (const statement of [
    makeScans,
    makeQuarters,
    makeTotals,
    makeRollup('daily', `(at / ${DAY})::int`),
    makeRollup('monthly', month),
    'vacuum analyze',
  ]) {
    await query(statement)
  }
}

async function makeTexts(query: Query): Promise<void> {
  await query(`insert into quirl_scans.dictionary (id, text) overriding system value
    select id, case id when 2 then 'qr' when 3 then 'link' else 'value ' || id end from generate_series(2, 10300) as id`)
}

const works: (() => Promise<void> | void)[] = []
const server = await startPostgres({ after: (work) => void works.push(work) })
const session = openPostgresSession({ url: urlOf(addressOf(server, 'postgres')), max: 3, isPatient: true })
await fill(session)

let statements = 0
const query: Query = (sql, values) => {
  statements++
  return session.query(sql, values)
}
const rows: Record<string, string | number>[] = []
for (const [days, timeZone, bound] of [
  [30, 'UTC', 25],
  [30, 'Europe/Berlin', 25],
  [365, 'UTC', 80],
  [365, 'Europe/Berlin', 80],
] as const) {
  const { stats } = createStatisticsCalls(openRowQueries(query, 'bench'))
  const times: number[] = []
  statements = 0
  for (let run = 0; run <= RUNS; run++) {
    const began = performance.now()
    await stats(1, { days, timeZone, audience: 'all' }, now)
    times.push(performance.now() - began)
  }
  const [start = Number.NaN, ...further] = times
  const each = (statements / times.length).toFixed(1)
  const p50 = median(further)
  rows.push({ days, timeZone, 'p50 ms': p50.toFixed(1), bound, 'first call ms': start.toFixed(1), statements: each })
}
const link = (SCANS / 2).toLocaleString('en')
printTable(`Statistics of a link with ${link} of ${SCANS.toLocaleString('en')} scans in PostgreSQL`, rows)
await session.close()
for (const work of works.toReversed()) await work()
