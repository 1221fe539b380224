import type { Warehouse } from './warehouse.ts'
import type { Sources } from '../statistics/row-queries.ts'
import type { Audience } from '../statistics/stats-query.ts'
import { numberOf } from '../../dimensions/dimensions.ts'
import type { Parts } from '../statistics/window.ts'
import { columnsOf, conditionOf } from '../statistics/audience-columns.ts'

interface SourceRow {
  value: number
  scans: number
}

/**
 * Prepares to read the sources of many links in the same window. The keys of the rollups begin with link, period and dimension:
 * each period is one look-up, and no other dimension is read.
 */
export function createSourceReader(
  { db, dictionary }: Pick<Warehouse, 'db' | 'dictionary'>,
  audience: Audience,
  { months, days, raw, excess }: Parts,
): (linkId: number) => Sources {
  const { scans } = columnsOf[audience]
  const rollup = (table: string) =>
    db.prepare(
      `select value, ${scans} as scans from ${table} where link_id = ? and period = ? and dimension = ${numberOf('source')}`,
    )
  const edges = db.prepare(
    `select source as value, count(*) as scans from scans
     where link_id = ? and at >= ? and at < ? ${conditionOf[audience]} group by source`,
  )
  const rollups = [
    { read: rollup('monthly'), periods: periodsOf(months) },
    { read: rollup('daily'), periods: periodsOf(days) },
  ]
  return (linkId) => {
    const sums: Sources = { qr: 0, link: 0 }
    const add = (rows: SourceRow[], sign = 1) => {
      for (const row of rows) sums[dictionary.text(row.value) === 'qr' ? 'qr' : 'link'] += sign * row.scans
    }
    for (const { read, periods } of rollups) {
      for (const period of periods) add(read.all(linkId, period) as unknown as SourceRow[])
    }
    for (const range of raw) add(edges.all(linkId, ...range) as unknown as SourceRow[])
    for (const { from, to } of excess) add(edges.all(linkId, from, to) as unknown as SourceRow[], -1)
    return sums
  }
}

function periodsOf(ranges: [from: number, to: number][]): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at))
}
