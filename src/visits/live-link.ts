import type { Placements } from '../dimensions/dimension.ts'
import type { Content, Kind, Outcome, Visitor } from '../links/kinds/kind.ts'
import type { CompiledRules } from '../links/rules/compile.ts'

/** A link that can be visited. */
export interface LiveLink {
  id: number
  /** As its owner wrote it. */
  code: string
  kind: Kind
  content: () => Content<Record<string, unknown>>
  visit: (visitor: Visitor) => Outcome
  /** Whether the operator warns people of it before they go on. */
  isWarned: boolean
  /** Null when it has no rules, which precede `visit`. */
  rules: (() => CompiledRules) | null
  /** Null when it has none. */
  placements: Placements | null
}

/**
 * A link as it was read for a visit, and what reads it again. A visit that waits keeps none of the link meanwhile, which may take
 * hundreds of kilobytes: thousands that wait together would take gigabytes.
 */
export interface OpenedLink<L = LiveLink> {
  live: L
  /** @throws {Problem} when it can no longer be visited as it was */
  reread: Reread
}

export type Reread = () => Promise<LiveLink>
