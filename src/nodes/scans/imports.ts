import { retryConflicts } from '../database/retry-conflicts.ts'
import type { PostgresSession } from '../database/session.ts'
import { importedGroups, type ImportedCount } from '../../scans/import/clicks.ts'
import {
  countedScans,
  partIncrements,
  storedScans,
  visitGroups,
  type ImportPart,
  type Taken,
} from '../../scans/import/part.ts'
import { openPostgresDictionary, TextsRemoved } from './dictionary.ts'
import { lockLinks, writeScans } from './fold-target.ts'
import { openPartitions } from './partitions.ts'
import { writeIncrements, writeRollups } from './rollup-writer.ts'
import { numbers } from './sql.ts'

/** Adds visits that another service has counted, once for each link that exists. */
export async function addImported(session: PostgresSession, counts: readonly ImportedCount[]): Promise<void> {
  await session.transaction(async (query) => {
    const existing = await lockLinks(query, counts)
    const rows = await query<{ id: number }>(
      `insert into quirl_scans.imported select unnest($1::bigint[]) on conflict do nothing returning link_id as id`,
      [numbers([...existing].sort((a, b) => a - b))],
    )
    const added = new Set(rows.map(({ id }) => id))
    const groups = importedGroups(counts.filter(({ linkId }) => added.has(linkId)))
    if (groups.length > 0) await writeRollups(query, groups)
  })
}

/**
 * Adds a part of a bundle or of visits if it is the next one.
 * @returns what the link has taken then; undefined when it is deleted
 */
export function addPart(session: PostgresSession, part: ImportPart): Promise<Taken | undefined> {
  return retryConflicts(
    () => addOnce(session, part),
    (error) => error instanceof TextsRemoved,
  )
}

async function addOnce(session: PostgresSession, part: ImportPart): Promise<Taken | undefined> {
  const { linkId, bundle, position, count } = part
  const scans = storedScans(part)
  await openPartitions(session).prepare(scans)
  const dictionary = openPostgresDictionary(session.query)
  const idsOf = await dictionary.prepare([...scans, ...countedScans(part)])
  const values = part.table === 'days' || part.table === 'months' ? part.rows : []
  const idOf = await dictionary.prepareTexts(values.flatMap(({ text }) => text ?? []))
  const used = [...[...scans, ...countedScans(part)].flatMap(idsOf), ...values.map(({ text }) => idOf(text))]
  return session.transaction(async (query, copy) => {
    if ((await lockLinks(query, [{ linkId }])).size === 0) return undefined
    await dictionary.keep(query, used)
    await query('insert into quirl_scans.imported values ($1, $2) on conflict do nothing', [linkId, bundle])
    const [taken] = await query<Taken>(
      'select bundle, position from quirl_scans.imported where link_id = $1 for update',
      [linkId],
    )
    if (taken?.bundle !== bundle || taken.position !== position) return taken
    const groups = visitGroups(part, await writeScans(copy, scans, idsOf), idsOf)
    if (groups.length > 0) await writeRollups(query, groups)
    const increments = partIncrements(part, idOf)
    if (increments !== undefined) await writeIncrements(query, [[linkId, increments]])
    await query('update quirl_scans.imported set position = $2 where link_id = $1', [linkId, position + count])
    return { bundle, position: position + count }
  })
}
