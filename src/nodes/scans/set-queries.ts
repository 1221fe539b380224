import type { Query } from '../database/session.ts'
import { SLOTS_OF_DAY } from '../../scans/calendar.ts'
import type {
  BriefTotalsRow,
  GrowingRows,
  PeriodRow,
  SetQueries,
  SignatureRow,
  Since,
} from '../../scans/statistics/set-queries.ts'

const four = 'humans, human_firsts, bots, bot_firsts'
const named = 'sum(humans) as a, sum(human_firsts) as b, sum(bots) as c, sum(bot_firsts) as d'
const isOfSet = 'link_id = any($1::bigint[])'

/** Selects rows as one text, of which `pg` need not read each column. */
const asText = (columns: string, from: string) =>
  `(select '[' || coalesce(string_agg('[' || concat_ws(',', ${columns}) || ']', ','), '') || ']' from ${from})`

const signaturesOfSet = asText(
  `t.link_id, ${four}, coalesce(i.position, 0)`,
  `quirl_scans.totals t left join quirl_scans.imported i using (link_id) where t.${isOfSet}`,
)

/** Runs selects as one statement, whose rows are of one moment. */
async function readTexts(query: Query, selects: string[], values: unknown[]): Promise<unknown[][]> {
  const columns = selects.map((select, at) => `${select} as c${at}`)
  const [row] = await query<Record<string, string>>(`select ${columns.join(', ')}`, values)
  return selects.map((_, at) => JSON.parse(row?.[`c${at}`] ?? '[]') as unknown[])
}

/** Reads the rows of many links from PostgreSQL, each call in one statement. */
export function openSetQueries(query: Query): SetQueries {
  const read = async <Row>(select: string, ...values: unknown[]) =>
    (await readTexts(query, [select], values))[0] as Row[]
  const sumsBy = (key: string) =>
    asText(
      'k, a, b, c, d',
      `(select ${key} as k, ${named} from quirl_scans.quarter_hourly
        where ${isOfSet} and slot >= $2 and slot < $3 group by ${key}) as summed`,
    )
  return {
    briefTotals: (linkIds) =>
      read<BriefTotalsRow>(
        asText('link_id, humans + bots, humans, last_at', `quirl_scans.totals where ${isOfSet} and humans + bots > 0`),
        linkIds,
      ),
    signatures: (linkIds) => read<SignatureRow>(signaturesOfSet, linkIds),
    growing: (linkIds, since) => readGrowing(query, linkIds, since),
    periods: (linkIds, { table, from, to }) =>
      read<PeriodRow>(
        asText(
          'period, dimension, value, a, b, c, d',
          `(select period, dimension, value, ${named} from quirl_scans.${table}
            where ${isOfSet} and period between $2 and $3 group by period, dimension, value) as summed`,
        ),
        linkIds,
        from,
        to,
      ),
    slotsOf: (...args) => read(sumsBy('slot'), ...args),
    sumsOf: (...args) => read(sumsBy('link_id'), ...args),
    async missingOf(linkIds, from, to) {
      const [row] = await query<{ missing: number }>(
        `select coalesce(sum(humans + bots), 0)::bigint as missing from quirl_scans.raw_missing
         where ${isOfSet} and slot >= $2 and slot < $3`,
        [linkIds, from, to],
      )
      return row?.missing ?? 0
    },
  }
}

async function readGrowing(query: Query, linkIds: number[], { day, month }: Since): Promise<GrowingRows> {
  const slots = asText(`link_id, slot, ${four}`, `quirl_scans.quarter_hourly where ${isOfSet} and slot >= $2`)
  const valuesSince = (table: string, isMonth: 0 | 1, period: string) =>
    asText(
      `link_id, ${isMonth}, period, dimension, value, ${four}`,
      `quirl_scans.${table} where ${isOfSet} and period >= ${period}`,
    )
  const months = month === undefined ? [] : [{ select: valuesSince('monthly', 1, '$4'), value: month }]
  const [signatures, slotRows, days = [], ofMonths = []] = await readTexts(
    query,
    [signaturesOfSet, slots, valuesSince('daily', 0, '$3'), ...months.map(({ select }) => select)],
    [linkIds, day * SLOTS_OF_DAY, day, ...months.map(({ value }) => value)],
  )
  return {
    signatures: signatures as SignatureRow[],
    slots: slotRows as GrowingRows['slots'],
    values: [...days, ...ofMonths] as GrowingRows['values'],
  }
}
