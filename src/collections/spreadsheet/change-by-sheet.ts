import { Problem } from '../../http/problem.ts'
import { noneOf, rowResults } from '../../links/bulk/row-results.ts'
import type { ManyResult } from '../../links/bulk/change-many.ts'
import { addresses, entityTag } from '../../links/link.ts'
import type { Collections } from '../open.ts'
import type { Collection } from '../store.ts'
import { changeInBatches, type Batches } from './change-in-batches.ts'
import { changeOf, type Cells } from './columns.ts'
import { compareRows, type Comparison } from './compare.ts'

type Row = ManyResult['results'][number]

/** The body of the change that a row of a spreadsheet makes, of the revision that it was compared with. */
export function rowOf({ link, differences }: Comparison): object {
  return { code: link.code, if_match: entityTag(link), ...changeOf(differences, link) }
}

/**
 * Changes the links of a collection that the rows of a spreadsheet differ from. Only those are charged.
 * @throws {Problem} 400 when no row is valid, or one is invalid and the request is atomic; see `changeInBatches`
 */
export async function changeBySheet(
  batches: Batches & { collections: Pick<Collections, 'sheetLinksOf'> },
  collection: Pick<Collection, 'id'>,
  cells: (Cells | Problem)[],
): Promise<ManyResult> {
  const { atomic, dryRun } = batches.options
  const outcomes = await compareRows(batches.collections, collection, cells)
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length
  if (failed === outcomes.length || (failed > 0 && atomic && !dryRun)) throw noneChanged(outcomes)
  const differing = [...outcomes.entries()].flatMap(([at, outcome]) =>
    outcome instanceof Problem || outcome.differences.length === 0 ? [] : [{ at, body: rowOf(outcome) }],
  )
  const { onTrimmedIn } = batches.options
  const options = {
    ...batches.options,
    onTrimmedIn: onTrimmedIn && ((row: number) => onTrimmedIn(differing[row]?.at ?? 0)),
  }
  const bodies = differing.map(({ body }) => body)
  const changed = bodies.length === 0 ? [] : await changeInBatches({ ...batches, options }, bodies)
  const results = resultsOf(outcomes, batches)
  for (const [at, row] of changed.entries()) {
    const index = differing[at]?.at ?? 0
    results[index] = { ...row, index }
  }
  return counted(results)
}

/** A result for each row, as if none differed. */
function resultsOf(outcomes: (Comparison | Problem)[], { client, options }: Batches): Row[] {
  return rowResults(
    outcomes.map((outcome) => {
      if (outcome instanceof Problem) return outcome
      const { code } = outcome.link
      const etag = entityTag(outcome.link)
      if (options.dryRun) return { valid: true as const, code, etag, fields: [] as string[] }
      return { code, short_url: addresses(code, client.origin).short_url, etag, changed: false }
    }),
  ).results
}

/** @throws {Problem} 400 when every row has failed */
function counted(results: Row[]): ManyResult {
  const failed = results.filter((row) => 'error' in row).length
  const changed = results.filter((row) => 'changed' in row && row.changed).length
  const unchanged = results.filter((row) => 'changed' in row && !row.changed).length
  const result = { changed, unchanged, failed, results }
  const [first] = results
  if (failed < results.length || first === undefined || !('error' in first)) return result
  const detail = `none of ${results.length} rows; row 0: ${first.error.detail}`
  throw new Problem('nothing_changed', detail, { members: { ...result } })
}

function noneChanged(outcomes: (Comparison | Problem)[]): Problem {
  return noneOf('nothing_changed', outcomes, (problems) => ({ changed: 0, unchanged: 0, ...rowResults(problems) }))
}
