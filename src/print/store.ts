import type { Executor } from '../db/database.ts'
import type { Placement } from '../links/placements.ts'

/** What is printed of a link besides its code. */
export interface PrintedLink {
  id: number
  code: string
  title: string | null
  campaign: string | null
  placements: Placement[]
}

/** The links of codes, by the codes in lower case; a link has 20 KB of placements at most. */
export async function findPrinted(db: Executor, codeKeys: string[]): Promise<Map<string, PrintedLink>> {
  const rows = await db
    .selectFrom('links')
    .select(['id', 'code', 'code_key', 'title', 'campaign', 'placements'])
    .where('code_key', 'in', codeKeys)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(
    rows.map(({ code_key: key, placements, ...row }) => [
      key,
      { ...row, placements: placements === null ? [] : (JSON.parse(placements) as Placement[]) },
    ]),
  )
}
