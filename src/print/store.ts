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

/** The links of codes, by the codes in lower case, with their placements if they are wanted: a link has 20 KB of them at most. */
export async function findPrinted(
  db: Executor,
  codeKeys: string[],
  { placements: wanted }: { placements: boolean },
): Promise<Map<string, PrintedLink>> {
  const rows = await db
    .selectFrom('links')
    .select(['id', 'code', 'code_key', 'title', 'campaign'])
    .$if(wanted, (query) => query.select('placements'))
    .where('code_key', 'in', codeKeys)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(
    rows.map(({ code_key: key, placements = null, ...row }) => [
      key,
      { ...row, placements: placements === null ? [] : (JSON.parse(placements) as Placement[]) },
    ]),
  )
}
