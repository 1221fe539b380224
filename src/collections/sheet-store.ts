import type { Executor } from '../db/database.ts'
import { isMember } from '../links/member-store.ts'
import { selectMembers, type MemberConditions, type MemberPart } from './listing-store.ts'

/** What a spreadsheet shows of a link, and what names its revision. */
export interface SheetLink {
  id: number
  code: string
  kind: string
  title: string | null
  campaign: string | null
  target: string | null
  active: boolean
  utm: Record<string, string>
  revision: number
}

const sheetColumns = [
  'links.id',
  'links.code',
  'links.kind',
  'links.title',
  'links.campaign',
  'links.target',
  'links.active',
  'links.utm',
  'links.revision',
] as const

interface SheetRow extends Omit<SheetLink, 'active' | 'utm'> {
  active: number
  utm: string
}

const toSheetLink = ({ active, utm, ...row }: SheetRow): SheetLink => ({
  ...row,
  active: active === 1,
  utm: JSON.parse(utm) as SheetLink['utm'],
})

/** The next links of a collection, in the order of their ids. */
export async function findSheetPage(
  db: Executor,
  part: MemberPart,
  conditions: MemberConditions,
): Promise<SheetLink[]> {
  return (await selectMembers(db, part, conditions).select(sheetColumns).execute()).map(toSheetLink)
}

/** The links of a collection that have these codes, by the keys of the codes. */
export async function findSheetLinks(
  db: Executor,
  collectionId: string,
  { codeKeys, now }: { codeKeys: string[]; now: number },
): Promise<Map<string, SheetLink>> {
  const rows = await db
    .selectFrom('links')
    .innerJoin('memberships', 'memberships.link_id', 'links.id')
    .select([...sheetColumns, 'links.code_key'])
    .where('links.code_key', 'in', codeKeys)
    .where('memberships.collection_id', '=', collectionId)
    .where(isMember(now))
    .execute()
  return new Map(rows.map(({ code_key: key, ...row }) => [key, toSheetLink(row)]))
}
