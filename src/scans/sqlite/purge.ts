import { prepareArrays } from '../../db/sqlite/array-rows.ts'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { textColumns } from '../text-ids.ts'
import { openDictionary } from './dictionary.ts'
import { transaction } from './transaction.ts'
import { openUnusedTexts, type UnusedTexts } from './unused-texts.ts'
import type { SqliteWarehouse } from './warehouse.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** Rows of one transaction: the thread serves other calls in between. */
const STEP = 10_000

const tables = ['scans', 'quarter_hourly', 'daily', 'monthly', 'totals', 'imported', 'raw_missing'] as const
const keys = {
  scans: 'link_id, at, n',
  quarter_hourly: 'link_id, slot',
  daily: 'link_id, period, dimension, value',
  monthly: 'link_id, period, dimension, value',
  totals: 'link_id',
  imported: 'link_id',
  raw_missing: 'link_id, slot',
}

interface Purged extends Pick<SqliteWarehouse, 'db'> {
  unused: Pick<UnusedTexts, 'note'>
  /** Left out for a copy that nobody else has open. */
  log?: Pick<WriteAheadLog, 'shorten'>
}

/** Removes all scans and counts of links. After an interruption, another call completes it. */
export async function purgeLinks({ db, unused, log }: Purged, linkIds: number[]): Promise<void> {
  const found = new Set(
    db
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map(({ name }) => name),
  )
  // A copy may be one of an older release, which has fewer.
  const removals = tables
    .filter((table) => found.has(table))
    .map((table) =>
      createRemoval(
        db,
        `delete from ${table} where (${keys[table]}) in (select ${keys[table]} from ${table} where link_id = ? limit ?)`,
        textColumns[table],
      ),
    )
  const remove = (linkId: number, limit: number) => {
    let left = limit
    for (const removal of removals) left -= removal(unused, linkId, left)
    return limit - left
  }
  for (let at = 0; at < linkIds.length; await yieldToEventLoop()) {
    await log?.shorten()
    transaction(db, () => {
      for (let left = STEP; at < linkIds.length && left > 0;) {
        const removed = remove(linkIds[at] ?? 0, left)
        // Fewer than the limit: the link has no more rows.
        if (removed < left) at++
        left -= removed
      }
    })
  }
}

/** Removes links from a copy of a warehouse that nobody else has open, and the texts that no row has any more. */
export async function purgeCopy(db: DatabaseSync, linkIds: number[]): Promise<void> {
  const [notes] = db.prepare(`select 1 from sqlite_schema where name = 'unused'`).all()
  // One of an older release, which keeps all texts: the copy is what it was.
  if (notes === undefined) return purgeLinks({ db, unused: { note() {} } }, linkIds)
  const unused = openUnusedTexts(db, openDictionary(db))
  await purgeLinks({ db, unused }, linkIds)
  await unused.sweep()
}

/** Removes raw scans from before a time, link by link; the rollups stay. @returns how many */
export async function prune(warehouse: SqliteWarehouse, before: number): Promise<number> {
  const { db, unused, log } = warehouse
  const remove = createRemoval(
    db,
    `delete from scans where (link_id, at, n) in (select link_id, at, n from scans where link_id = ? and at < ? limit ${STEP})`,
    dimensionNames,
  )
  const removeOf = async (id: number) => {
    for (let count = 0; ; await yieldToEventLoop()) {
      await log.shorten()
      const removed = transaction(db, () => remove(unused, id, before))
      count += removed
      if (removed < STEP) return count
    }
  }
  let count = 0
  for (let linkId = 0; ;) {
    const ids = linkIdsAfter(warehouse, linkId, 100)
    for (const id of ids) count += await removeOf(id)
    linkId = ids.at(-1) ?? linkId
    if (ids.length === 0) return count
    await yieldToEventLoop()
  }
}

/** Returns what removes rows, notes the texts that they had, and returns their number. */
function createRemoval(db: DatabaseSync, sql: string, columns: readonly string[] = []) {
  if (columns.length === 0) {
    const removal = db.prepare(sql)
    return (_: unknown, ...values: number[]) => Number(removal.run(...values).changes)
  }
  const removal = prepareArrays<number[]>(db, `${sql} returning ${columns.join(', ')}`)
  return (unused: Pick<UnusedTexts, 'note'>, ...values: number[]) => {
    const rows = removal.all(...values)
    unused.note(rows.flat())
    return rows.length
  }
}

/** A page of the ids of all links that have scans, in ascending order. */
export function linkIdsAfter({ db }: Pick<SqliteWarehouse, 'db'>, linkId: number, limit: number): number[] {
  const rows = db.prepare('select link_id from totals where link_id > ? order by link_id limit ?').all(linkId, limit)
  return (rows as { link_id: number }[]).map((row) => row.link_id)
}
