import type { Executor } from '../db/database.ts'

/** The saved design of a link in JSON; undefined when it has none. */
export async function findDesign(db: Executor, linkId: number): Promise<string | undefined> {
  const row = await db.selectFrom('designs').select('design').where('link_id', '=', linkId).executeTakeFirst()
  return row?.design
}

export async function putDesign(db: Executor, linkId: number, design: string): Promise<void> {
  await db
    .insertInto('designs')
    .values({ link_id: linkId, design })
    .onConflict((conflict) => conflict.column('link_id').doUpdateSet({ design }))
    .execute()
}

export async function deleteDesign(db: Executor, linkId: number): Promise<void> {
  await db.deleteFrom('designs').where('link_id', '=', linkId).execute()
}
