import { Problem } from '../../http/problem.ts'
import { addCounts, type CountedLink, type ManyStats } from '../statistics/stats-of-many.ts'
import { pointsOf, type StatsQuery } from '../statistics/stats-query.ts'

/** Days, or hours, of links that one call reads, and links: the calls of other clients take turns with them. */
const POINTS_PER_CALL = 2_000
const LINKS_PER_CALL = 100

export type ReadLinks = (links: CountedLink[]) => Promise<ManyStats>

/** The link of a token, or why there is none. */
type Outcome = { id: number; code: string } | Problem

/** A row of the response. */
interface Row {
  index: number
  outcome: Outcome
  /** Whether its link counts in the sum, as that of no earlier row. */
  isCounted: boolean
}

/**
 * The response in pieces: each is read when the client has received those before it, so that memory has one of them. The first
 * one is read at once, so that its errors are thrown here.
 * @param asOf says until when scans are included, given what the first piece states about that
 */
export async function createManyText(
  outcomes: Outcome[],
  query: StatsQuery,
  read: ReadLinks,
  asOf: (stated: string | undefined) => { as_of?: string },
): Promise<AsyncGenerator<string>> {
  const rows = rowsOf(outcomes)
  const [first = [], ...further] = partsOf(rows, pointsOf(query))
  const firstStats = await read(linksOf(first))
  const { from, to, sum } = firstStats
  const { days, timeZone: timezone, audience } = query
  const head = JSON.stringify({ days, from, to, timezone, audience, ...asOf(firstStats.as_of) })

  async function* pieces(): AsyncGenerator<string> {
    yield `${head.slice(0, -1)},"links":[${rowsText(first, firstStats)}`
    for (const part of further) {
      const stats = await read(linksOf(part))
      addCounts(sum, stats.sum)
      yield `,${rowsText(part, stats)}`
    }
    yield `],"total":${JSON.stringify({ links: rows.filter((row) => row.isCounted).length, ...sum })}}`
  }
  return pieces()
}

function rowsOf(outcomes: Outcome[]): Row[] {
  const seen = new Set<number>()
  return outcomes.map((outcome, index) => {
    if (outcome instanceof Problem) return { index, outcome, isCounted: false }
    const isCounted = !seen.has(outcome.id)
    seen.add(outcome.id)
    return { index, outcome, isCounted }
  })
}

/** Splits the rows into those that one call reads. */
function partsOf(rows: Row[], points: number): Row[][] {
  const size = Math.min(LINKS_PER_CALL, Math.max(1, Math.floor(POINTS_PER_CALL / points)))
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size))
}

function linksOf(rows: Row[]): CountedLink[] {
  return rows.flatMap(({ outcome, isCounted }) => (outcome instanceof Problem ? [] : [{ id: outcome.id, isCounted }]))
}

function rowsText(rows: Row[], { texts }: ManyStats): string {
  const counts = texts.values()
  const textOf = ({ index, outcome }: Row) => {
    if (!(outcome instanceof Problem)) {
      return `${JSON.stringify({ index, code: outcome.code }).slice(0, -1)},${counts.next().value?.slice(1)}`
    }
    const { code, message: detail, errors } = outcome
    return JSON.stringify({ index, error: { code, detail, errors } })
  }
  return rows.map(textOf).join()
}
