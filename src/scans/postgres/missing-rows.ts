import type { Query } from '../../nodes/database/session.ts'
import { slotOf } from '../calendar.ts'
import { hourOfSlot, type MissingRows, type RawBound, type StoredRows } from '../folding/raw-bound.ts'
import type { Scan } from '../scan.ts'
import { addTo } from './rollup-writer.ts'
import { countColumns } from './bounded-values.ts'
import { numbers } from './sql.ts'

/**
 * Reads how many scans have rows, of the links and hours of these scans. What other nodes write at the same time is not in it: of
 * a link that two nodes fold, each may store a transaction more.
 */
export async function readStored(
  query: Query,
  scans: readonly Scan[],
  { perHour }: Pick<RawBound, 'perHour'>,
): Promise<StoredRows> {
  if (perHour === Number.POSITIVE_INFINITY || scans.length === 0) return { atMost: () => 0, inHour: () => 0 }
  const hours = scans.map(({ at }) => hourOfSlot(slotOf(at)))
  const least = hours.reduce((a, b) => Math.min(a, b))
  const most = hours.reduce((a, b) => Math.max(a, b))
  const rows = (table: string, sign: string) =>
    `select link_id, slot, ${sign} (humans + bots) as scans from quirl_scans.${table}
     where link_id = any($1::bigint[]) and slot between $2::int and $3::int`
  const sums = await query<{ link_id: number; hour: number; scans: number }>(
    `select link_id, slot / 4 as hour, sum(scans)::bigint as scans
     from (${rows('quarter_hourly', '+')} union all ${rows('raw_missing', '-')}) as counted group by 1, 2`,
    [numbers([...new Set(scans.map(({ linkId }) => linkId))]), least * 4, most * 4 + 3],
  )
  const stored = new Map(sums.map((row) => [`${row.link_id}|${row.hour}`, row.scans]))
  // What is read for all at once is exact.
  const atMost = () => perHour
  return { atMost, inHour: (linkId, hour) => stored.get(`${linkId}|${hour}`) ?? 0 }
}

/** Adds scans that are counted and have no row, in the transaction that counts them. */
export async function writeMissing(query: Query, missing: MissingRows): Promise<void> {
  const rows = [...missing].flatMap(([linkId, slots]) => [...slots].map(([slot, counts]) => [linkId, slot, ...counts]))
  if (rows.length === 0) return
  const columns = ['link_id', 'slot', ...countColumns]
  const arrays = columns.map((name, at) => `$${at + 1}::${name === 'slot' ? 'integer' : 'bigint'}[]`)
  await query(
    `insert into quirl_scans.raw_missing (${columns.join()}) select * from unnest(${arrays.join()}) order by 1, 2
     on conflict (link_id, slot) do update set ${addTo('raw_missing')}`,
    columns.map((_, column) => numbers(rows.map((row) => row[column]))),
  )
}
