import { Problem } from '../../http/problem.ts'
import { checkDesigns } from '../check-designs.ts'
import type { Client } from '../client.ts'
import type { LinkDeps } from '../deps.ts'
import { freeCodes, type HashedDraft } from '../insert.ts'

type Row = HashedDraft | Problem

export const isDraft = (row: Row): row is HashedDraft => !(row instanceof Problem)

/**
 * Checks the designs of rows, each on the code that its link is to have. A row without one stays as it is.
 * @returns the rows, in their order, with what is checked, or why it cannot be scanned
 * @throws {Problem} as `checkDesigns`
 */
export async function withCheckedDesigns(
  deps: LinkDeps,
  rows: Row[],
  client: Client,
  collection: string | undefined,
): Promise<Row[]> {
  const drafts = rows.map((row) => (isDraft(row) && row.design !== undefined ? row : undefined))
  const drawn = drafts.filter((draft) => draft !== undefined && draft.alias === undefined).length
  const codes = drawn === 0 ? [] : await freeCodes(deps, drawn)
  const designed = drafts.map((draft) => draft && { code: draft.alias ?? (codes.pop() as string), value: draft.design })
  const checked = await checkDesigns(deps, designed, client, collection)
  return rows.map((row, at) => {
    const [draft, outcome] = [drafts[at], checked[at]]
    if (draft === undefined || outcome instanceof Problem) return outcome instanceof Problem ? outcome : row
    const { code = '' } = designed[at] ?? {}
    const design = outcome?.value
    return design === undefined || design === null ? draft : { ...draft, checked: { code, design } }
  })
}
