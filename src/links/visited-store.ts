import { sql, type Selectable } from '#kysely'
import type { Database, Lookup } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

const columns = ['id', 'code', 'kind', 'target', 'payload', 'utm', 'active', 'removed_source'] as const

type Values<Names extends readonly (keyof Tables['links'])[]> = {
  -readonly [At in keyof Names]: Selectable<Tables['links']>[Names[At]]
}

/** The values of a link that visits need, in the order of `columns`; all null when the link was deleted. */
export type VisitedValues = Values<typeof columns> | [id: null, ...rest: null[]]

/** Looks a link up by the key of its code. */
export function createFindVisited({ prepareRead }: Pick<Database, 'prepareRead'>): Lookup<VisitedValues> {
  // A code is in one of the two tables; nearly every visit finds it in the first.
  return prepareRead((db, key) =>
    db
      .selectFrom('links')
      .select(columns)
      .where('code_key', '=', key)
      .unionAll(
        db
          .selectFrom('codes')
          .select(columns.map((name) => sql<never>`null`.as(name)))
          .where('code_key', '=', key),
      ),
  )
}
