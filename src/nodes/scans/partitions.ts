import { lockTransaction, type PostgresSession } from '../database/session.ts'
import { firstDayOfMonth, monthOf, startOfDay } from '../../scans/calendar.ts'
import type { Scan } from '../../scans/scan.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { noteAllTexts, noteTexts } from './unused-texts.ts'

/** Rows of one statement. */
const STEP = 10_000
/** Some million rows. */
const LARGE_BYTES = 256 * 1024 * 1024
/** How long the removal of a partition waits for those who read, who wait behind it. */
const LOCK_MS = 2000

/** The partitions of `quirl_scans.scans`, one for each UTC month. */
export interface Partitions {
  /** Creates the partitions that these scans need. */
  prepare: (scans: readonly Pick<Scan, 'at'>[]) => Promise<void>
  /** To be called when a partition was missing: another node has removed it. */
  clearCache: () => void
  /** Removes scans from before a time: whole months with their partition. @returns how many, of large months about */
  prune: (before: number) => Promise<number>
}

export function openPartitions(session: PostgresSession): Partitions {
  const { query } = session
  const known = new Set<number>()

  async function create(month: number): Promise<void> {
    const [from, to] = [month, month + 1].map((each) => startOfDay(firstDayOfMonth(each)))
    const name = nameOf(month)
    await session.transaction(async (inTransaction) => {
      await lockTransaction(inTransaction, 'scan partitions')
      const [found] = await inTransaction('select 1 from pg_class where oid = to_regclass($1)', [name])
      if (found !== undefined) return
      // Attached, because creating it as a partition would lock out those who read.
      await inTransaction(`create table ${name} (like quirl_scans.scans including all)`)
      await inTransaction(`alter table quirl_scans.scans attach partition ${name} for values from (${from}) to (${to})`)
    })
  }

  return {
    async prepare(scans) {
      for (const month of new Set(scans.map(({ at }) => monthOf(at)))) {
        if (known.has(month)) continue
        await create(month)
        known.add(month)
      }
    },
    clearCache: () => known.clear(),
    async prune(before) {
      let count = 0
      for (const { name, month } of await listPartitions(query)) {
        if (month > monthOf(before)) continue
        count += month < monthOf(before) ? await drop(session, name) : await removeBefore(query, name, before)
      }
      return count
    },
  }
}

function nameOf(month: number): string {
  const text = new Date(startOfDay(firstDayOfMonth(month))).toISOString()
  return `quirl_scans.scans_${text.slice(0, 4)}${text.slice(5, 7)}`
}

async function listPartitions(query: PostgresSession['query']): Promise<{ name: string; month: number }[]> {
  const rows = await query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'quirl_scans.scans'::regclass`,
  )
  return rows.flatMap(({ name }) => {
    const [, year, month] = /^scans_(\d{4})(\d\d)$/.exec(name) ?? []
    if (year === undefined) return []
    return [{ name: `quirl_scans.${name}`, month: (Number(year) - 1970) * 12 + Number(month) - 1 }]
  })
}

/** The rows of a partition: those of a large one take long to count, and PostgreSQL has noted about how many they are. */
function countOf(name: string): string {
  const isLarge = `pg_relation_size('${name}') > ${LARGE_BYTES} and reltuples >= 0`
  return `select case when ${isLarge} then reltuples::bigint else (select count(*) from ${name}) end as rows
    from pg_class where oid = '${name}'::regclass`
}

async function drop(session: PostgresSession, name: string): Promise<number> {
  const count = await session.query<{ rows: number }>(countOf(name))
  await session.transaction(async (query) => {
    await query(`set local lock_timeout = ${LOCK_MS}`)
    await query(`drop table if exists ${name}`)
    await noteAllTexts(query)
  })
  return count[0]?.rows ?? 0
}

async function removeBefore(query: PostgresSession['query'], name: string, before: number): Promise<number> {
  const remove = `with removed as (
      delete from ${name} where ctid = any (array(select ctid from ${name} where at < $1 limit ${STEP})) returning ${dimensionNames.join()}
    ), noted as (${noteTexts(dimensionNames)})
    select count(*)::integer as count from removed`
  for (let count = 0; ;) {
    const [row] = await query<{ count: number }>(remove, [before])
    const removed = row?.count ?? 0
    count += removed
    if (removed < STEP) return count
  }
}
