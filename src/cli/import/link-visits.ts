import { createHash } from 'node:crypto'
import { StartError } from '../../lib/start-error.ts'
import { MAX_PART_ROWS } from '../../scans/import/operator.ts'
import type { Taken } from '../../scans/import/part.ts'
import { CLOCK_SKEW_MS } from '../../scans/import/records.ts'
import type { ForeignVisit } from '../../scans/import/visits.ts'
import type { CommandContext } from '../command.ts'
import type { ForeignLink } from './formats.ts'
import { createFindVisited, type Loss } from './visited-link.ts'
import { readVisits, type ReadVisit } from './visits-file.ts'

/** What became of the visits of an import: what was read is a scan or lost. */
export interface VisitsReport {
  read: number
  /** Counted as scans, each at its time. */
  scans: number
  lost: (Loss & { visits: number })[]
}

/** The visits of an import by their links. */
export interface Visits {
  of: (link: ForeignLink) => ForeignVisit[]
  lose: (visits: number, loss: Loss) => void
  /** What became of those that were not lost: scans. */
  report: () => VisitsReport
  notes: string[]
}

/** Reads visits and finds the link of each. @throws {StartError} for a broken file */
export async function collectVisits(path: string, links: readonly ForeignLink[], now: number): Promise<Visits> {
  const find = createFindVisited(links)
  const byLink = new Map<ForeignLink, ForeignVisit[]>()
  const lost = new Map<string, Loss & { visits: number }>()
  const notes: string[] = []
  let read = 0
  const lose: Visits['lose'] = (visits, loss) => {
    const sum = lost.get(loss.reason)
    if (sum !== undefined) sum.visits += visits
    else if (visits > 0) lost.set(loss.reason, { visits, ...loss })
  }
  for await (const file of readVisits(path)) {
    notes.push(...file.notes)
    read += file.visits.length
    for (const visit of file.visits) {
      const found = obstacleOf(visit, now) ?? find(visit)
      if ('reason' in found) lose(1, found)
      else visitsOf(byLink, found).push(visit.visit)
    }
  }
  const report = () => {
    const losses = [...lost.values()]
    return { read, scans: read - losses.reduce((sum, { visits }) => sum + visits, 0), lost: losses }
  }
  return { of: (link) => byLink.get(link) ?? [], lose, report, notes }
}

function visitsOf(byLink: Map<ForeignLink, ForeignVisit[]>, link: ForeignLink): ForeignVisit[] {
  const known = byLink.get(link) ?? []
  byLink.set(link, known)
  return known
}

function obstacleOf({ visit: { at }, isOrphan }: ReadVisit, now: number): Loss | undefined {
  if (isOrphan) return { reason: 'the visit is of no short URL (an orphan visit)' }
  if (at < 0) return { reason: 'the time is before 1970' }
  return at > now + CLOCK_SKEW_MS ? { reason: 'the time is in the future' } : undefined
}

/** What of a link is a scan, and what remains a number. */
export interface LinkVisits {
  visits: ForeignVisit[]
  /** Clicks that no visit of the file is of, and when they count. */
  rest: { at: number; clicks: number }
}

/** The clicks of a link and its visits: together as many as the larger of both. */
export function splitClicks({ clicks, created_at: created }: ForeignLink, visits: ForeignVisit[]): LinkVisits {
  const first = visits.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  // Not after the first scan: since it, the single scans of a link are as many as its counts.
  const at = created === undefined ? first : Math.min(first, Math.max(0, Date.parse(created)))
  return { visits, rest: { at, clicks: Math.max(0, clicks - visits.length) } }
}

/**
 * Adds visits to the link of a token, each once, however often it is called and wherever it was interrupted.
 * @returns why they are lost, if the link has other counts from an earlier run
 */
export async function sendVisits(
  call: CommandContext['call'],
  token: string,
  { visits, rest }: LinkVisits,
): Promise<Loss | undefined> {
  const bundle = createHash('sha256')
    .update(JSON.stringify([rest.clicks, visits]))
    .digest('hex')
  for (let position = 0; position < visits.length;) {
    const part = { token, bundle, position, visits: visits.slice(position, position + MAX_PART_ROWS), rest }
    const taken = (await call('import_visits', part)) as Taken
    if (taken.bundle === '') return { reason: 'an earlier run has counted the clicks of the link as a number' }
    if (taken.bundle !== bundle) return { reason: 'an earlier run has counted other visits of the link' }
    if (taken.position <= position) throw new StartError('the service takes no visits')
    position = taken.position
  }
  return undefined
}
