import type { Insertable } from '#kysely'
import { preparedChange } from '../db/compiled.ts'
import type { Database, Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Link } from './link.ts'
import { exampleRule } from './rules/rule.ts'
import { chunks, contentColumns } from './store.ts'

/** A link to be inserted. */
export interface NewLink extends Omit<Link, 'suspension' | 'warning' | 'reported' | 'rekeyedAt'> {
  codeKey: string
  tokenHash: string
}

/** Inserts a link. @returns false when another link has its code, or a deleted link had it */
export async function insertLink(db: Database, link: NewLink): Promise<boolean> {
  return (await insertIfFree(db, [...Object.values(newRow(link)), link.codeKey])) === 1
}

/** Inserts the links whose codes no other link has and no deleted link had; returns the code keys of these. */
export async function insertLinks(db: Executor, links: NewLink[]): Promise<Set<string>> {
  const insertedKeys = new Set<string>()
  // In one order, so that no two transactions wait for each other's codes.
  const ordered = links.toSorted((a, b) => (a.codeKey < b.codeKey ? -1 : 1))
  for (const chunk of chunks(ordered)) {
    const retired = await findRetired(
      db,
      chunk.map(({ codeKey }) => codeKey),
    )
    const rows = chunk.filter(({ codeKey }) => !retired.has(codeKey)).map(newRow)
    if (rows.length === 0) continue
    const insertion = db.insertInto('links').values(rows)
    const inserted = insertion.onConflict((conflict) => conflict.column('code_key').doNothing()).returning('code_key')
    for (const row of await inserted.execute()) insertedKeys.add(row.code_key)
  }
  return insertedKeys
}

/** Whether a link has a code, or a deleted link had it. */
export async function isCodeUsed(db: Executor, codeKey: string): Promise<boolean> {
  return (await findUsed(db, [codeKey])).size > 0
}

/** Which of these codes a link has, or a deleted link had. */
export async function findUsed(db: Executor, codeKeys: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('links').select('code_key').where('code_key', 'in', codeKeys).execute()
  return new Set([...(await findRetired(db, codeKeys)), ...rows.map((row) => row.code_key)])
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

const exampleLink: NewLink = {
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
  rules: [exampleRule],
  placements: [{ id: '' }],
  password: null,
  active: true,
  revision: 1,
  createdAt: 0,
  updatedAt: 0,
}

/** Its parameters are the values of a row, and the code key once more. */
const insertIfFree = preparedChange((db) => {
  const row = newRow(exampleLink)
  return db
    .insertInto('links')
    .columns(Object.keys(row) as (keyof typeof row)[])
    .expression(
      db
        .selectNoFrom((of) =>
          // PostgreSQL assumes that a parameter of unknown type is text.
          Object.entries(row).map(([name, value]) =>
            typeof value === 'number' ? of.cast<number>(of.val(value), 'bigint').as(name) : of.val(value).as(name),
          ),
        )
        .where((of) => of.not(of.exists(of.selectFrom('codes').select('code_key').where('code_key', '=', '')))),
    )
    .onConflict((conflict) => conflict.column('code_key').doNothing())
})
