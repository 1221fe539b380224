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

/** Characters of designs that one statement inserts. */
const INSERTED = 1024 * 1024

/** Saves the designs of links that have none. */
export async function insertDesigns(db: Executor, rows: { link_id: number; design: string }[]): Promise<void> {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    let characters = 0
    while (to < rows.length && (to === from || characters < INSERTED)) characters += rows[to++]?.design.length ?? 0
    await db.insertInto('designs').values(rows.slice(from, to)).execute()
  }
}

/** The saved designs of links, of those that have one. */
export async function findDesigns(db: Executor, linkIds: number[]): Promise<{ link_id: number; design: string }[]> {
  return db.selectFrom('designs').select(['link_id', 'design']).where('link_id', 'in', linkIds).execute()
}
