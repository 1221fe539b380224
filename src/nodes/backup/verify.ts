import type pg from 'pg'
import { ENCODING, encodingFault, type Encoded } from '../database/encoding.ts'
import { toPostgresStartError } from '../database/errors.ts'
import { readIdentity, connectPatiently, openPostgresStore } from '../moving/store.ts'
import { leftOut } from '../../moving/plan.ts'
import { sumOf } from '../../moving/sum.ts'
import { nameOf } from '../../moving/table.ts'
import { fullNumbers } from '../../dimensions/dimensions.ts'
import {
  checkJournal,
  collectionsResult,
  count,
  countsResult,
  describeLinks,
  describeScans,
  orphansResult,
  type Finding,
  type Result,
} from '../../backup/findings.ts'
import { collectionsQuery, NEWEST_TABLE, type CollectionsSummary } from '../../backup/collections-store.ts'
import type { LinksSummary, ScansSummary } from '../../backup/store.ts'

export interface VerifyPostgresOptions {
  url: string
  /** The data folder of this node, which has its journal. */
  dataDir: string
  /** Called with the next step. */
  onStep: (step: string) => void
}

/**
 * Verifies everything in PostgreSQL, without changing it.
 * @throws {StartError} when there is nothing to verify, or it cannot be reached
 */
export async function verifyPostgres({ url, dataDir, onStep }: VerifyPostgresOptions): Promise<Finding[]> {
  try {
    const findings = [await readEverything(url, onStep)]
    const client = await connectPatiently(url)
    try {
      // All checks see the same state.
      await client.query('begin isolation level repeatable read, read only')
      const instance = await readIdentity(client, 'the database of DATABASE_URL')
      findings.push({ what: 'encoding', ...encodingResult(await one<Encoded>(client, ENCODING)) })
      onStep('counting')
      findings.push({ what: 'links', isGood: true, text: describeLinks(await one<LinksSummary>(client, linksQuery)) })
      findings.push({ what: 'scans', isGood: true, text: describeScans(await one<ScansSummary>(client, scansQuery)) })
      const positions = await client.query<{ journal: string; position: number }>(positionsQuery)
      const folded = new Map(positions.rows.map(({ journal, position }) => [journal, position]))
      findings.push({ what: 'journal', ...checkJournal(dataDir, (name) => folded.get(name) ?? 0) })
      onStep('searching for links of scans')
      findings.push({ what: 'orphans', ...orphansResult(await ids(client, orphansQuery)) })
      onStep('comparing collections')
      findings.push({ what: 'collections', ...collectionsResult(await summarizeCollections(client)) })
      findings.push({ what: 'identity', isGood: true, text: `links and scans belong to the instance ${instance}` })
      onStep('comparing counts')
      const inconsistent = await ids(client, inconsistentQuery)
      findings.push({ what: 'counts', ...countsResult(inconsistent, await ids(client, importedQuery)) })
      return findings
    } finally {
      await client.end()
    }
  } catch (error) {
    throw toPostgresStartError(error)
  }
}

function encodingResult(found: Encoded): Result {
  const fault = encodingFault(found)
  return { isGood: fault === undefined, text: fault ?? 'UTF-8' }
}

/** Reads each row of each table: a damaged page cannot be read. */
async function readEverything(url: string, onStep: (step: string) => void): Promise<Finding> {
  const store = await openPostgresStore(url)
  const tables = store.tables.filter((table) => leftOut[nameOf(table)] === undefined)
  let [rows, name] = [0, '']
  try {
    const snapshot = await store.snapshot()
    for (const table of tables) {
      name = nameOf(table)
      onStep(`reading ${name}`)
      rows += (await sumOf(snapshot.pages(table))).rows
    }
    return {
      what: 'rows',
      isGood: true,
      text: `all ${count(rows)} of ${count(tables.length)} tables can be read`,
    }
  } catch (error) {
    if (!(error instanceof Error && 'severity' in error)) throw error
    return { what: 'rows', isGood: false, text: `${name} cannot be read: ${error.message}` }
  } finally {
    await store.close()
  }
}

async function one<Row>(client: pg.Client, query: string): Promise<Row> {
  return (await client.query(query)).rows[0] as Row
}

async function ids(client: pg.Client, query: string): Promise<number[]> {
  return (await client.query<{ id: number }>(query)).rows.map(({ id }) => id)
}

async function summarizeCollections(client: pg.Client): Promise<CollectionsSummary | undefined> {
  const { there } = await one<{ there: boolean }>(client, `select to_regclass('${NEWEST_TABLE}') is not null as there`)
  return there ? one<CollectionsSummary>(client, collectionsQuery) : undefined
}

const linksQuery = `select (select max(number) from migrations) as schema, (select count(*) from links where code_key not like 'deleted:%') as links,
  (select count(*) from links where code_key like 'deleted:%') as deleted,
  (select count(*) from codes) + (select count(*) from links where code_key not like 'deleted:%') as codes`

const scansQuery = `select count(*) as scanned, coalesce(sum(humans + bots), 0)::bigint as scans,
  (select count(*) from quirl_scans.scans) as rows, (select max(number) from quirl_scans.migrations) as schema
  from quirl_scans.totals`

const positionsQuery = 'select journal, position from quirl_scans.journal_positions'

const orphansQuery = `select link_id as id from quirl_scans.totals as t
  where not exists (select from links where id = t.link_id) and not exists (select from deletions as d where d.link_id = t.link_id)
  order by 1`

/** Links that have taken rows of a bundle. A database may be older than bundles, and not have the column. */
const importedQuery = `select link_id as id from quirl_scans.imported as i where to_jsonb(i) ->> 'bundle' <> ''`

const columns = ['humans', 'human_firsts', 'bots', 'bot_firsts']
const sums = columns.map((name) => `sum(${name}) as ${name}`).join(', ')
/** Each of these dimensions counts every scan once. */
const perDimension = columns.map((name) => `sum(${name}) / ${fullNumbers.length} as ${name}`).join(', ')
const counts = (table: string) => `row(${columns.map((name) => `coalesce(${table}.${name}, 0)`).join(', ')})`

/** Links whose counts differ. Old scans may have been removed: only a link that has all of them is compared with these. */
const inconsistentQuery = `
  select link_id as id from quirl_scans.totals as t
  full join (select link_id, ${sums} from quirl_scans.quarter_hourly group by 1) as q using (link_id)
  full join (select link_id, ${perDimension} from quirl_scans.daily where dimension in (${fullNumbers.join()}) group by 1) as d using (link_id)
  full join (select link_id, ${perDimension} from quirl_scans.monthly where dimension in (${fullNumbers.join()}) group by 1) as m using (link_id)
  full join (select link_id, count(*) filter (where bot = 0) as humans, count(*) filter (where bot = 1) as bots,
      count(*) filter (where bot = 0 and first = 1) as human_firsts, count(*) filter (where bot = 1 and first = 1) as bot_firsts
    from quirl_scans.scans group by 1) as r using (link_id)
  where ${['q', 'd', 'm'].map((table) => `${counts('t')} <> ${counts(table)}`).join(' or ')}
    or (coalesce(r.humans + r.bots, 0) >= coalesce(t.humans + t.bots, 0) and ${counts('t')} <> ${counts('r')})
  order by 1`
