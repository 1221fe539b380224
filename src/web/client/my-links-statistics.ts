import { callApi } from './call-api.ts'

/** The scans of a link, or of several. */
export interface Counts {
  scans: number
  visitors: number
}

/** The scans of a link by day; `missing` when no link has its key, `deleted` when its link can be brought back. */
export type LinkCounts = (Counts & { days: number[] }) | 'missing' | 'deleted'

/** By token. */
export type ReadCounts = ReadonlyMap<string, LinkCounts>

/** As many tokens as a request may have. */
const CHUNK = 500
const DAYS = 30

interface Row {
  error?: { code: 'unknown_token' | 'link_deleted' }
  totals?: { scans: number }
  unique_visitors?: number
  series?: { scans: number }[]
}

/** Reads the statistics of links, or why they cannot be read. */
export async function readCounts(tokens: string[]): Promise<ReadCounts | 'limited' | 'unreachable'> {
  const counts = new Map<string, LinkCounts>()
  for (let at = 0; at < tokens.length; at += CHUNK) {
    const chunk = tokens.slice(at, at + CHUNK)
    const rows = await requestRows(chunk)
    if (!Array.isArray(rows)) return rows
    for (const [index, row] of rows.entries()) {
      const read = countsOf(row)
      if (read !== undefined) counts.set(chunk[index] ?? '', read)
    }
  }
  return counts
}

async function requestRows(tokens: string[]): Promise<Row[] | 'limited' | 'unreachable'> {
  try {
    const response = await callApi('/api/stats', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        tokens,
        days: DAYS,
        audience: 'human',
        tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }),
    })
    if (response.status === 429 || response.status === 503) return 'limited'
    if (!response.ok) return 'unreachable'
    return ((await response.json()) as { links: Row[] }).links
  } catch {
    return 'unreachable'
  }
}

function countsOf({ error, totals, unique_visitors: visitors = 0, series = [] }: Row): LinkCounts | undefined {
  if (error !== undefined) return { unknown_token: 'missing' as const, link_deleted: 'deleted' as const }[error.code]
  return { scans: totals?.scans ?? 0, visitors, days: series.map(({ scans }) => scans) }
}

export function sumOf(counts: ReadCounts): Counts {
  const known = [...counts.values()].filter((each) => typeof each !== 'string')
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  return { scans: sum(known.map(({ scans }) => scans)), visitors: sum(known.map(({ visitors }) => visitors)) }
}
