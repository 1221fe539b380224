import type { Insertable } from '#kysely'
import { preparedChange } from '../db/compiled.ts'
import type { Database, Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Link } from './link.ts'
import { chunks, contentColumns } from './store.ts'

/** A link before it is kept. */
export interface NewLink extends Omit<Link, 'removed'> {
  codeKey: string
  tokenHash: string
}

/** Keeps a link, unless another has its code or a deleted one had it. */
export async function insertLink(db: Pick<Database, 'prepareChange'>, link: NewLink): Promise<boolean> {
  return (await insertFree(db, [...Object.values(newRow(link)), link.codeKey])) === 1
}

/** Keeps links, but for those whose codes others have or deleted ones had; returns the keys of those that are kept. */
export async function insertLinks(db: Executor, links: NewLink[]): Promise<Set<string>> {
  const kept = new Set<string>()
  for (const chunk of chunks(links)) {
    const retired = await findRetired(
      db,
      chunk.map(({ codeKey }) => codeKey),
    )
    const rows = chunk.filter(({ codeKey }) => !retired.has(codeKey)).map(newRow)
    if (rows.length === 0) continue
    const insertion = db.insertInto('links').values(rows)
    const inserted = insertion.onConflict((conflict) => conflict.column('code_key').doNothing()).returning('code_key')
    for (const row of await inserted.execute()) kept.add(row.code_key)
  }
  return kept
}

async function findRetired(db: Executor, codeKeys: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('codes').selectAll().where('code_key', 'in', codeKeys).execute()
  return new Set(rows.map((row) => row.code_key))
}

function newRow(link: NewLink): Insertable<Tables['links']> {
  return {
    ...contentColumns(link),
    id: link.id,
    code: link.code,
    code_key: link.codeKey,
    token_hash: link.tokenHash,
    kind: link.kind,
    revision: link.revision,
    created_at: link.createdAt,
    updated_at: link.updatedAt,
  }
}

const anyLink: NewLink = {
  id: 0,
  code: '',
  codeKey: '',
  tokenHash: '',
  kind: '',
  target: '',
  payload: {},
  title: '',
  campaign: '',
  utm: {},
  active: true,
  revision: 1,
  createdAt: 0,
  updatedAt: 0,
}

/** Its values are those of a row, and the key of the code once more. */
const insertFree = preparedChange((db) => {
  const row = newRow(anyLink)
  return db
    .insertInto('links')
    .columns(Object.keys(row) as (keyof typeof row)[])
    .expression(
      db
        .selectNoFrom((of) =>
          // PostgreSQL takes a value of unknown type for a text.
          Object.entries(row).map(([name, value]) =>
            typeof value === 'number' ? of.cast<number>(of.val(value), 'bigint').as(name) : of.val(value).as(name),
          ),
        )
        .where((of) => of.not(of.exists(of.selectFrom('codes').select('code_key').where('code_key', '=', '')))),
    )
    .onConflict((conflict) => conflict.column('code_key').doNothing())
})
