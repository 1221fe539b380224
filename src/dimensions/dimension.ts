import type { IncomingHttpHeaders } from 'node:http'
import type { Html } from '../http/html.ts'
import type { ByLanguage } from '../texts/language.ts'

/**
 * What a visit says, each thing read once: from a request, or from another service's record of it. The address of the visitor
 * is not among it.
 */
export interface Visit {
  /** The path and query; empty for a visit that another service has recorded. */
  url: string
  headers: IncomingHttpHeaders
  agent: { device: string | null; os: string | null; browser: string | null }
  place: { country: string | null; city: string | null }
  /** Whether the visitor opts out of tracking (Global Privacy Control, Do Not Track). */
  optsOut: boolean
  /** The host of the referrer; `direct` without one. */
  referrer: () => string
  /** The ids of the link's placements by these in lower case; null when it has none. */
  placements: Placements | null
}

/** The ids of a link's placements, by these in lower case. Prepared when it is first needed. */
export type Placements = () => ReadonlyMap<string, string>

/** A row of a breakdown, as it is stored: the text, and for a city its country. */
export interface Told {
  value: string | null
  country?: string | null
}

/** What a page knows of values. */
export interface Names {
  /** A country, by its code, in the language of the page. */
  country: (code: string) => string
  /** What the owner calls a placement, on pages for him. */
  placement?: ((id: string) => string | undefined) | undefined
}

/** What a journal holds of a value. */
export type Written = string | number | null

/**
 * A dimension of the statistics: everything that quirl knows of it. Scans, the journal, both stores, rollups, exports, imports,
 * statistics, the conditions of rules and the pages walk the list of them (`dimensions.ts`).
 *
 * Functions are written as methods without `this`, so that the list can be walked without knowing the type of each value.
 */
export interface Dimension<Name extends string = string, Value = unknown> {
  /** In the API: of the breakdown, of the field of a scan, of the column in both stores and in `scans.csv`. */
  name: Name
  /** What a scan records of a visit; null when it is unknown. Called at each visit. */
  read(this: void, visit: Visit): Value
  /** How a journal holds a value, when not as it is. Called at each visit; records of before must stay readable. */
  journal: { write(this: void, value: Value): Written; read(this: void, written: Written): Value } | undefined
  /** The text that the stores hold of a value of a scan. */
  text(this: void, value: Value, scan: { country: string | null }): string | null
  /** What a text that was stored tells. */
  tell(this: void, text: string | null): Told
  /**
   * Whether strangers choose the texts: of those that no scan had before, only so many of a link and day are stored, and each
   * further one is `(other)`.
   */
  isOpen: boolean
  /**
   * Undefined when rollups count every scan. Else they only count scans with a value, so that links which do not use the
   * dimension need no rows; this is how exports and the API write the others, `''` being null there.
   */
  rest: string | undefined
  /** How many values a breakdown lists. */
  top: number
  /** Reads a cell of an imported table. @throws {Error} that names the column */
  parse(this: void, column: string, cell: string): Value
  /** How statistics are filtered by it: by values as breakdowns print them, and `UNKNOWN_VALUE`. */
  filter: Filter
  /** The condition of rules on it, if there is one. */
  condition: Condition | undefined
  /** The place of its table on the page of the statistics, from 1; no two have the same. */
  panel: number
  words: ByLanguage<Words>
}

/** The value of a filter that stands for scans without one. */
export const UNKNOWN_VALUE = '~'

/** The values of a filter by a dimension. */
export interface Filter {
  /** Their form, as JSON Schema has it, and what it demands; without one, any text that a visit or an import may have brought. */
  form?: { schema: { pattern: string }; rule: string }
  example: string
}

/** How breakdowns print a text that was stored; null for an unknown value. */
export function printedOf({ tell, rest = '' }: Pick<Dimension, 'tell' | 'rest'>, text: string | null): string | null {
  return tell(text).value ?? (rest === '' ? null : rest)
}

/** The words of a dimension in one language. */
export interface Words {
  heading: string
  /** How scans without a value read, where it is not that nobody knows. */
  rest?: string
  /** How a value reads; undefined for as it is. */
  value?: (told: { value: string; country?: string | null }, names: Names) => Html | string | undefined
}

/**
 * A condition of rules on the value of a visit, which names one value or a list of them. Not a schema: threads load descriptions,
 * too, and have no use for TypeBox.
 */
export interface Condition {
  description: string
  /** Whether it names one value. */
  one?: true
  /** The values that there are; without them, the form of one. */
  names?: readonly string[]
  form?: {
    /** A regular expression, as JSON Schema has it, and what it demands. */
    schema: { pattern: string }
    rule: string
    example: string
    /** How many a list may have. */
    max: number
  }
  /** Whether its values differ in more than their case. */
  ignoresCase?: true
  /** What these cannot say: the places of wrong values in the list, and what is wrong with them. */
  errors?: (values: string[]) => [at: number, detail: string][]
}

/** Infers the types of a description. */
export function defineDimension<const Name extends string, Value, C extends Condition | undefined>(
  dimension: Dimension<Name, Value> & { condition: C },
): Dimension<Name, Value> & { condition: C } {
  return dimension
}
