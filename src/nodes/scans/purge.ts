import type { Query } from '../database/session.ts'
import { textColumns } from '../../scans/text-ids.ts'
import { noteTexts } from './unused-texts.ts'

/** Rows of one statement. */
const STEP = 10_000

const keys = {
  scans: 'link_id, at, n',
  quarter_hourly: 'link_id, slot',
  daily: 'link_id, period, dimension, value',
  monthly: 'link_id, period, dimension, value',
  totals: 'link_id',
  imported: 'link_id',
  raw_missing: 'link_id, slot',
}

/** Removes all scans and counts of deleted links. After an interruption, another call completes it. */
export async function purgeLinks(query: Query, linkIds: number[]): Promise<void> {
  for (const [table, key] of Object.entries(keys)) {
    const texts = textColumns[table]
    const remove = `with removed as (
        delete from quirl_scans.${table} where (${key}) in (
          select ${key} from quirl_scans.${table} where link_id = any ($1) limit ${STEP}
        ) returning ${texts?.join() ?? '1'}
      )${texts === undefined ? '' : `, noted as (${noteTexts(texts)})`}
      select count(*)::integer as count from removed`
    for (let count = STEP; count === STEP;) {
      const [row] = await query<{ count: number }>(remove, [linkIds])
      count = row?.count ?? 0
    }
  }
}

/** A page of the ids of all links that have scans, in ascending order. */
export async function linkIdsAfter(query: Query, linkId: number, limit: number): Promise<number[]> {
  const rows = await query<{ link_id: number }>(
    'select link_id from quirl_scans.totals where link_id > $1 order by link_id limit $2',
    [linkId, limit],
  )
  return rows.map((row) => row.link_id)
}
