import type { Database } from '../db/database.ts'
import type { Content } from './kinds/kind.ts'
import type { Link, Removal } from './link.ts'
import { createFindVisited, type VisitedValues } from './visited-store.ts'

/** What visits need of a link. */
export interface Visited extends Pick<Link, 'id' | 'code' | 'kind' | 'target' | 'active'> {
  /** As they are stored: JSON, which few visits need parsed. */
  payload: string
  utm: string
  /** Who removed it for abuse; null while it is not removed. */
  removedBy: Removal['source'] | null
}

/** What a code leads to: 'gone' when its link was deleted; undefined when there never was one. */
export type Found = Visited | 'gone' | undefined

/** Finds links for visits, by the key of their code: at once where the store is embedded. */
export function createVisitedOf(db: Pick<Database, 'readAtOnce'>): (codeKey: string) => Found | Promise<Found> {
  const find = createFindVisited(db)
  return (codeKey) => {
    const values = find(codeKey)
    return values instanceof Promise ? values.then(toFound) : toFound(values)
  }
}

function toFound(values: VisitedValues | undefined): Found {
  if (values === undefined) return undefined
  if (values[0] === null) return 'gone'
  const [id, code, kind, target, payload, utm, active, removedBy] = values
  return { id, code, kind, target, payload, utm, active: active === 1, removedBy: removedBy as Visited['removedBy'] }
}

/** A link's own data as its kind sees it. */
export function contentOf({ code, target, payload, utm }: Visited): Content<Record<string, unknown>> {
  return { code, target, payload: parse(payload), utm: parse(utm) as Record<string, string> }
}

function parse(json: string): Record<string, unknown> {
  return json === '{}' ? {} : (JSON.parse(json) as Record<string, unknown>)
}
