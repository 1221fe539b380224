import type { DatabaseSync } from 'node:sqlite'
import { prepareArrays } from '../../db/sqlite/array-rows.ts'
import { SLOTS_OF_DAY } from '../calendar.ts'
import type {
  BriefTotalsRow,
  GrowingRows,
  PeriodRow,
  SetQueries,
  SignatureRow,
  Since,
} from '../statistics/set-queries.ts'

const four = 'humans, human_firsts, bots, bot_firsts'
const sums = 'sum(humans), sum(human_firsts), sum(bots), sum(bot_firsts)'
/** The links of a statement are one parameter: SQLite looks each of them up in the key of the table. */
const isOfSet = 'link_id in (select value from json_each(?1))'

/** Reads rows of links. */
type Read = <Row extends readonly unknown[]>(sql: string, linkIds: number[], ...values: number[]) => Row[]

/** Reads the rows of many links from SQLite, each call in one turn of the event loop. */
export function openSetQueries(db: DatabaseSync): SetQueries {
  const all: Read = <Row extends readonly unknown[]>(sql: string, linkIds: number[], ...values: number[]) =>
    prepareArrays<Row>(db, sql).all(JSON.stringify(linkIds), ...values)
  const sumsBy = <Row extends readonly unknown[]>(key: string, ...args: [number[], number, number]) =>
    all<Row>(
      `select ${key}, ${sums} from quarter_hourly where ${isOfSet} and slot >= ?2 and slot < ?3 group by ${key}`,
      ...args,
    )
  return {
    briefTotals: async (linkIds) =>
      all<BriefTotalsRow>(`select link_id, humans + bots, humans, last_at from totals where ${isOfSet}`, linkIds),
    signatures: async (linkIds) => readSignatures(all, linkIds),
    growing: async (linkIds, since) => readGrowing(all, linkIds, since),
    periods: async (linkIds, { table, from, to }) =>
      all<PeriodRow>(
        `select period, dimension, value, ${four} from ${table} where ${isOfSet} and period between ?2 and ?3`,
        linkIds,
        from,
        to,
      ),
    slotsOf: async (...args) => sumsBy('slot', ...args),
    sumsOf: async (...args) => sumsBy('link_id', ...args),
    async missingOf(linkIds, from, to) {
      const [[missing] = [0]] = all<[number]>(
        `select total(humans + bots) from raw_missing where ${isOfSet} and slot >= ?2 and slot < ?3`,
        linkIds,
        from,
        to,
      )
      return missing
    },
  }
}

function readSignatures(all: Read, linkIds: number[]): SignatureRow[] {
  return all(
    `select link_id, ${four}, coalesce((select position from imported i where i.link_id = t.link_id), 0)
     from totals t where ${isOfSet}`,
    linkIds,
  )
}

function readGrowing(all: Read, linkIds: number[], { day, month }: Since): GrowingRows {
  const valuesSince = (table: string, isMonth: 0 | 1, period: number) =>
    all<GrowingRows['values'][number]>(
      `select link_id, ${isMonth}, period, dimension, value, ${four} from ${table} where ${isOfSet} and period >= ?2`,
      linkIds,
      period,
    )
  return {
    signatures: readSignatures(all, linkIds),
    slots: all(
      `select link_id, slot, ${four} from quarter_hourly where ${isOfSet} and slot >= ?2`,
      linkIds,
      day * SLOTS_OF_DAY,
    ),
    values: [...valuesSince('daily', 0, day), ...(month === undefined ? [] : valuesSince('monthly', 1, month))],
  }
}
