import type { Insertable } from '#kysely'
import { compiled } from '../db/compiled.ts'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Link } from './link.ts'
import { chunks, contentColumns } from './store.ts'

/** Takes codes for good. Answers those that were free: neither a link has them nor had one that is gone. */
export async function takeCodes(db: Executor, codeKeys: string[]): Promise<Set<string>> {
  const free = new Set<string>()
  for (const chunk of chunks(codeKeys)) {
    const { rows } = chunk.length === 1 ? await takeOne(db, chunk) : await db.executeQuery(takeAll(db, chunk).compile())
    for (const row of rows) free.add(row.code_key)
  }
  return free
}

function takeAll(db: Executor, codeKeys: string[]) {
  return db
    .insertInto('codes')
    .values(codeKeys.map((key) => ({ code_key: key })))
    .onConflict((conflict) => conflict.column('code_key').doNothing())
    .returning('code_key')
}

const takeOne = compiled((db) => takeAll(db, ['']))

/** A link before it is kept. */
export interface NewLink extends Omit<Link, 'removed'> {
  codeKey: string
  tokenHash: string
}

export async function insertLinks(db: Executor, links: NewLink[]): Promise<void> {
  for (const chunk of chunks(links.map(newRow))) {
    if (chunk.length > 1) await db.insertInto('links').values(chunk).execute()
    else await insertOne(db, chunk.flatMap(Object.values))
  }
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
const insertOne = compiled((db) => db.insertInto('links').values(newRow(anyLink)))
