import { sql, type Selectable } from '#kysely'
import type { Database, Lookup } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

const columns = [
  'id',
  'code',
  'kind',
  'target',
  'payload',
  'utm',
  'active',
  'removed_source',
  'rules',
  'placements',
  'password',
  'warned_at',
] as const

type Values<Names extends readonly (keyof Tables['links'])[]> = {
  -readonly [At in keyof Names]: Selectable<Tables['links']>[Names[At]]
}

/** The values of a link that visits need, in the order of `columns`; null when the link was deleted. */
export type VisitedValues = Values<typeof columns> | [id: null]

/** Looks a link up by the key of its code. */
export function createFindVisited({ prepareRead }: Pick<Database, 'prepareRead'>): Lookup<VisitedValues> {
  const findLink = prepareRead<VisitedValues>((db, key) =>
    db.selectFrom('links').select(columns).where('code_key', '=', key),
  )
  const findRetired = prepareRead<VisitedValues>((db, key) =>
    db
      .selectFrom('codes')
      .select(sql<never>`null`.as('id'))
      .where('code_key', '=', key),
  )
  // A code is in one of the two tables; nearly every visit finds it in the first. Both in one statement cost half as much again.
  return (key) => {
    const found = findLink(key)
    return found instanceof Promise ? found.then((values) => values ?? findRetired(key)) : (found ?? findRetired(key))
  }
}
