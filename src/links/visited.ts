import type { Database } from '../db/database.ts'
import type { Content } from './kinds/kind.ts'
import type { Link, Suspension } from './link.ts'
import { idsOf } from './placements.ts'
import { compileRules, type CompiledRules } from './rules/compile.ts'
import { createFindVisited, type VisitedValues } from './visited-store.ts'

/** The part of a link that visits need. */
export interface Visited extends Pick<Link, 'id' | 'code' | 'kind' | 'target' | 'active' | 'password'> {
  /** JSON as it is stored: few visits need it parsed. */
  payload: string
  utm: string
  /** The same; null without rules. */
  rules: string | null
  /** The same; null without placements. */
  placements: string | null
  /** Who suspended it for abuse; null unless it is suspended. */
  suspendedBy: Suspension['source'] | null
  /** Whether the operator warns people of it before they go on. */
  isWarned: boolean
}

/** The link of a code; 'gone' when it was deleted; undefined when there never was one. */
export type Found = Visited | 'gone' | undefined

/** Finds links for visits, by the key of their code; synchronously in SQLite. */
export function createVisitedOf(db: Pick<Database, 'prepareRead'>): (codeKey: string) => Found | Promise<Found> {
  const find = createFindVisited(db)
  return (codeKey) => {
    const values = find(codeKey)
    return values instanceof Promise ? values.then(toFound) : toFound(values)
  }
}

function toFound(values: VisitedValues | undefined): Found {
  if (values === undefined) return undefined
  if (values[0] === null) return 'gone'
  const [id, code, kind, target, payload, utm, active, source, rules, placements, hash, warnedAt] = values
  const suspendedBy = source as Visited['suspendedBy']
  const password = hash as Visited['password']
  const states = { active: active === 1, suspendedBy, isWarned: warnedAt !== null }
  return { id, code, kind, target, payload, utm, ...states, rules, placements, password }
}

/** A link's own data as its kind sees it. */
export function contentOf({ code, target, payload, utm, password }: Visited): Content<Record<string, unknown>> {
  const isProtected = password !== null
  return { code, target, payload: parse(payload), utm: parse(utm) as Record<string, string>, isProtected }
}

/** Compiles the rules of a link that has some, as its JSON. */
export function rulesOf(rules: string, { utm }: Pick<Visited, 'utm'>): CompiledRules {
  return compileRules(JSON.parse(rules) as Link['rules'], parse(utm) as Record<string, string>)
}

/** The ids of the placements of a link that has some, as their JSON. */
export function placementsOf(placements: string): ReadonlyMap<string, string> {
  return idsOf(JSON.parse(placements) as Link['placements'])
}

function parse(json: string): Record<string, unknown> {
  return json === '{}' ? {} : (JSON.parse(json) as Record<string, unknown>)
}
