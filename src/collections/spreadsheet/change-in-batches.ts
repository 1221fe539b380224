import { invalidRequest, Problem } from '../../http/problem.ts'
import { MAX_ROWS } from '../../links/bulk/bulk.ts'
import type { ChangeableLink, ChangedLink, ManyOptions, ManyResult } from '../../links/bulk/change-many.ts'
import { rowResults } from '../../links/bulk/row-results.ts'
import type { Client } from '../../links/client.ts'
import type { Links } from '../../links/open.ts'

/** Rows of one transaction, which others wait for. */
const ROWS_PER_BATCH = 100

type Row = ManyResult['results'][number]
type Changed = ChangedLink | ChangeableLink

/** A change of more rows than one request of JSON may have. */
export interface Batches {
  links: Pick<Links, 'changeMany'>
  client: Client
  options: Omit<ManyOptions, 'requireKnown'>
}

/**
 * Changes the links of rows, up to as many as a collection has, in one transaction for some of them after the other; each of these
 * is charged by itself. What keeps one from being written, such as a quota that is used up, is the error of its rows and of all
 * further ones, once something was changed: the same request goes on there.
 * @returns a result for each row, in their order
 * @throws {Problem} 400 when the request is atomic and has more rows than one transaction may; what kept the first ones from being written
 */
export async function changeInBatches(batches: Batches, rows: readonly object[]): Promise<Row[]> {
  const { atomic } = batches.options
  if (atomic && rows.length > MAX_ROWS) {
    const detail = `at most ${MAX_ROWS} rows may differ from their links when the request is atomic, but ${rows.length} do`
    throw invalidRequest([{ pointer: '', detail }])
  }
  const results: Row[] = []
  let isChanged = false
  while (results.length < rows.length) {
    const from = results.length
    const batch = rows.slice(from, atomic ? undefined : from + ROWS_PER_BATCH)
    try {
      const done = await changeBatch(batches, batch, from)
      isChanged ||= done.some((row) => 'changed' in row && row.changed)
      results.push(...done)
    } catch (error) {
      if (!(error instanceof Problem) || !isChanged) throw error
      results.push(...rowResults<Changed>(rows.slice(from).map(() => error)).results)
    }
  }
  return results.map((row, index) => ({ ...row, index }))
}

/** The results of a batch, up to the row before which its links together are too large for one transaction. */
async function changeBatch({ links, client, options }: Batches, rows: object[], from: number): Promise<Row[]> {
  const { onTrimmedIn, atomic } = options
  const results = await links
    .changeMany(rows, client, {
      ...options,
      requireKnown: () => {},
      onTrimmedIn: onTrimmedIn && ((row) => onTrimmedIn(from + row)),
    })
    .then(({ results: done }) => done, resultsOfNone)
  const tooMuch = results.findIndex((row) => 'error' in row && row.error.code === 'body_too_large')
  return atomic || tooMuch < 1 ? results : results.slice(0, tooMuch)
}

/** A batch whose rows have all failed is no failed request. */
function resultsOfNone(error: unknown): Row[] {
  if (error instanceof Problem && error.code === 'nothing_changed') return (error.members as ManyResult).results
  throw error
}
