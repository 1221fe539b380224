import { lockTransaction, type PostgresSession, type Query } from '../database/session.ts'
import { dateOfDay, dayOf, startOfDay } from '../../scans/calendar.ts'
import { firstOfAddress, KEYS_OF_ADDRESS, personOf } from '../../scans/describing/visitor-key.ts'
import { flagFirsts, MAX_AGENTS, MAX_PEOPLE, type DayKeys, type KeysOfDay } from '../../scans/folding/first-visits.ts'
import type { FoldedScan, Scan } from '../../scans/scan.ts'
import { numbers } from './sql.ts'

// The keys that visitors had on a UTC day, and the day's salt, are in unlogged tables of a schema of their own: they are not in
// the write-ahead log, and not in a dump without the schema. Dropping the tables destroys them (docs/privacy.md).

/** How long the tables of a past day wait for a node that has not folded its scans of that day. */
const GRACE_MS = 600_000

/** The keys of visitors, by day. */
export interface VisitorDays {
  /** Creates the tables that these scans need. */
  prepare: (scans: readonly Scan[]) => Promise<void>
  /** To be called when a table was missing: another node has dropped it. */
  clearCache: () => void
  /**
   * Flags the first scans of visitors, and of people, on a day, in a transaction that holds the links' totals.
   * @param addsKeys whether further keys may be stored; see `flagFirsts`
   */
  flag: (query: Query, scans: readonly Scan[], addsKeys?: boolean) => Promise<FoldedScan[]>
  /** Drops the tables of the days that are over, by the clock of PostgreSQL. */
  dropPast: () => Promise<void>
}

export function openVisitorDays(session: PostgresSession): VisitorDays {
  const known = new Set<number>()
  return {
    async prepare(scans) {
      for (const day of new Set(scans.map(({ at }) => dayOf(at)))) {
        if (known.has(day)) continue
        for (const name of Object.values(tables))
          await createTable(
            session,
            `${name}_${suffixOf(day)}`,
            'link_id bigint, key bigint, primary key (link_id, key)',
          )
        known.add(day)
      }
    },
    clearCache: () => known.clear(),
    async flag(query, scans, addsKeys = true) {
      const days = new Map<number, LoadedDay>()
      for (const [day, ofDay] of Map.groupBy(scans, ({ at }) => dayOf(at)))
        days.set(day, await loadDay(query, day, ofDay))
      const flagged = flagFirsts(scans, (day) => days.get(day)?.keys ?? nothing, addsKeys)
      for (const { save } of days.values()) await save()
      return flagged
    },
    async dropPast() {
      const past = await findPast(session.query)
      for (const name of past) await session.query(`drop table if exists quirl_visitors.${name}`)
      if (past.length > 0) known.clear()
    },
  }
}

/** The tables of a day, by what their keys are of. */
const tables: Record<keyof KeysOfDay, string> = { agents: 'keys', people: 'people' }

/** What the tables of a day say of the keys that scans may have. */
interface LoadedDay {
  keys: KeysOfDay
  /** Inserts the keys that were added. */
  save: () => Promise<void>
}

const none: DayKeys = { find: () => undefined, count: () => 0, add() {} }
const nothing: KeysOfDay = { agents: none, people: none }

interface Pair {
  linkId: number
  key: number
}

async function loadDay(query: Query, day: number, scans: Scan[]): Promise<LoadedDay> {
  const visitors: Pair[] = []
  const people: Pair[] = []
  for (const scan of scans) {
    const { linkId, visitor } = scan
    if (visitor === null) continue
    visitors.push({ linkId, key: visitor })
    people.push({ linkId, key: personOf(scan, visitor) })
  }
  const table = (name: keyof KeysOfDay) => `quirl_visitors.${tables[name]}_${suffixOf(day)}`
  const ofAgents = await loadKeys(query, table('agents'), [...visitors, ...people], MAX_AGENTS + MAX_PEOPLE)
  const ofPeople = await loadKeys(query, table('people'), people, MAX_PEOPLE)
  return {
    keys: { agents: ofAgents.keys, people: ofPeople.keys },
    async save() {
      await ofAgents.save()
      await ofPeople.save()
    },
  }
}

/** @param most as many keys of an address are counted */
async function loadKeys(query: Query, table: string, pairs: Pair[], most: number) {
  const asked = distinct(pairs)
  const known = new Set<string>()
  // Each a look-up in the index, however many rows the table has and whatever its statistics say.
  for (const { link_id: linkId, key } of await query<{ link_id: number; key: number }>(
    `select asked.* from unnest($1::bigint[], $2::bigint[]) as asked (link_id, key),
       lateral (select 1 from ${table} as k where k.link_id = asked.link_id and k.key = asked.key limit 1) as found`,
    columnsOf(asked),
  ))
    known.add(nameOf(linkId, key))
  const counts = await countKeys(
    query,
    table,
    asked.filter(({ linkId, key }) => !known.has(nameOf(linkId, key))),
    most,
  )
  const added: Pair[] = []
  const keys: DayKeys = {
    find: (linkId, key) => (known.has(nameOf(linkId, key)) ? 'known' : undefined),
    count: (linkId, key) => counts.get(nameOf(linkId, firstOfAddress(key))) ?? 0,
    add(linkId, key) {
      const address = nameOf(linkId, firstOfAddress(key))
      counts.set(address, (counts.get(address) ?? 0) + 1)
      known.add(nameOf(linkId, key))
      added.push({ linkId, key })
    },
  }
  /** In order, so that two nodes never wait for each other; a node of an earlier version does not hold the totals. */
  const save = async () => {
    if (added.length === 0) return
    await query(
      `insert into ${table} select * from unnest($1::bigint[], $2::bigint[]) order by 1, 2 on conflict do nothing`,
      columnsOf(added),
    )
  }
  return { keys, save }
}

/** How many keys the addresses of these have, by link and first key. */
async function countKeys(query: Query, table: string, pairs: Pair[], most: number): Promise<Map<string, number>> {
  const addresses = distinct(pairs.map(({ linkId, key }) => ({ linkId, key: firstOfAddress(key) })))
  const rows = await query<{ link_id: number; key: number; found: number }>(
    `select asked.*, (select count(*)::integer from (
         select 1 from ${table} as k where k.link_id = asked.link_id and k.key >= asked.key and k.key < asked.key + ${KEYS_OF_ADDRESS} limit ${most}
       ) as each) as found
     from unnest($1::bigint[], $2::bigint[]) as asked (link_id, key)`,
    columnsOf(addresses),
  )
  return new Map(rows.map(({ link_id: linkId, key, found }) => [nameOf(linkId, key), found]))
}

const nameOf = (linkId: number, key: number) => `${linkId}:${key}`

function distinct(pairs: Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [nameOf(pair.linkId, pair.key), pair])).values()]
}

function columnsOf(pairs: Pair[]): string[] {
  return [numbers(pairs.map(({ linkId }) => linkId)), numbers(pairs.map(({ key }) => key))]
}

/** Creates an unlogged table, unless another node has. */
export async function createTable(session: PostgresSession, name: string, columns: string): Promise<void> {
  await session.transaction(async (query) => {
    await lockTransaction(query, 'visitor days')
    await query(`create unlogged table if not exists quirl_visitors.${name} (${columns})`)
  })
}

/** The digits of a day in the names of tables. */
export function suffixOf(day: number): string {
  return dateOfDay(day).replaceAll('-', '')
}

/** The tables of days that are over and folded by every node, or over for so long that a node that has not is late. */
async function findPast(query: Query): Promise<string[]> {
  const [clock] = await query<{ now: number; folded: number | null }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
       (select (extract(epoch from min(folded_until)) * 1000)::bigint from quirl_scans.folds) as folded`,
  )
  if (clock === undefined) return []
  const until = Math.max(clock.now - GRACE_MS, Math.min(clock.now, clock.folded ?? 0))
  const rows = await query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'quirl_visitors'",
  )
  return rows.map(({ name }) => name).filter((name) => isOver(name, until))
}

function isOver(name: string, until: number): boolean {
  const [, year, month, date] = /^(?:keys|people|salt)_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? []
  if (year === undefined) return false
  const day = dayOf(Date.UTC(Number(year), Number(month) - 1, Number(date)))
  return startOfDay(day + 1) <= until
}
