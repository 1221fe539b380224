import type { DimensionName } from '../../dimensions/dimensions.ts'
import type { AudienceSums } from './quarter-hours.ts'
import type { Audience } from './stats-query.ts'
import type { ValueSums } from './value-sums.ts'
import type { RowRanges } from './window.ts'

/** Quarters of an hour, the second one excluded. */
export interface SlotRange {
  fromSlot: number
  toSlot: number
}

/** Quarters of an hour between two changes of the clock. */
export interface WeekRange extends SlotRange {
  /** To be added to a quarter of an hour, so that the remainder by those of a week counts from Monday, midnight in local time. */
  shift: number
}

/** The counts of several links to be read. */
export interface CountsQuery {
  audience: Audience
  /** Ranges of the quarter-hourly rollup to be summed. */
  slots: SlotRange[]
  /** The rows whose scans are counted by source. */
  rowRanges: RowRanges
}

/** The counts of one link to be read. */
export interface LinkQuery {
  audience: Audience
  slots: SlotRange[]
  /** The rows whose scans are counted by value. */
  rowRanges: RowRanges
  /** The rows of earlier windows, whose scans are counted by source. */
  earlier: RowRanges[]
  /** Ranges whose scans are counted by the hour of the week. */
  heat: WeekRange[]
  /** The window of which scans without rows are counted. */
  window: SlotRange
}

/** Scans by source, as the breakdown `source` counts them. */
export interface Sources {
  qr: number
  link: number
}

/** The counts of one link in a window. */
export interface LinkRows {
  /** In the order of the ranges. */
  slots: AudienceSums[]
  values: ValueSums
  /** In the order of the earlier windows. */
  earlier: Sources[]
  /** By the hour of the week. */
  heat: number[]
  /** Scans of the window that are counted and have no row, those of people and of bots together. */
  missing: number
  /** How far another node's fold is behind, in milliseconds; 0 when no other node is. */
  behindMs: number
}

/** The counts of several links in a window, in the order of the links. */
export interface ManyRows {
  links: { slots: AudienceSums[]; sources: Sources }[]
  behindMs: number
}

/** Everything of a link, ever. */
export interface TotalsRow {
  humans: number
  human_firsts: number
  bots: number
  bot_firsts: number
  /** Those of `human_firsts` who are no further people. */
  people_again: number
  qr: number
  /** Undefined for a link without scans. */
  last_at: number | undefined
}

/** Of a link with scans: how many, how many by humans, and when the last one was. */
export type BriefTotalsRow = readonly [linkId: number, scans: number, humans: number, lastAt: number]

/** The sums of a link without scans. */
export const NO_TOTALS: TotalsRow = {
  humans: 0,
  bots: 0,
  human_firsts: 0,
  bot_firsts: 0,
  people_again: 0,
  qr: 0,
  last_at: undefined,
}

/** A quarter of an hour of a link: its scans that have rows, and those that are counted and have none. */
export type RawSlot = readonly [slot: number, scans: number, missing: number]

/** What tells whether the raw scans of a link that were read before are still all. */
export interface RawSlots {
  /** How many rows were imported to the link so far; 0 for none. */
  imported: number
  /** Those with scans, oldest first. Old rows may be removed, which these still count. */
  slots: RawSlot[]
}

/** A raw scan: its quarter of an hour, its flags (`filtered/block.ts`), and an id of the dictionary for each dimension. */
export type RawRow = readonly number[]

/** A raw scan; its values are ids of the dictionary. */
export type ScanRow = Record<'at' | 'n' | 'first' | 'bot' | DimensionName, number>

/** The key of the last row of a page, after which the next one begins; none before the first page. */
export type Cursor = readonly number[]

/** The counts of a row of a rollup. */
export type CountsRow = Record<'humans' | 'human_firsts' | 'bots' | 'bot_firsts', number>

/** A row of the quarter-hourly rollup. */
export type SlotRow = CountsRow & { slot: number }

/** The rollups by value. */
export type ValueTable = 'daily' | 'monthly'

/** A row of a rollup by value: a UTC day or month, the number of a dimension, and an id of the dictionary. */
export type ValueRow = CountsRow & Record<'period' | 'dimension' | 'value', number>

/** Returns the text of an id of the dictionary; null for an unknown value. */
export type TextOf = (id: number) => string | null

/** Reads pages of the tables of a link. */
export interface PageQueries {
  /** The raw scans of a link after a row, whose key is time and number, oldest first. */
  scansAfter: (linkId: number, after: Cursor, limit: number) => Promise<ScanRow[]>
  /** The quarters of an hour of a link after one, oldest first. */
  slotsAfter: (linkId: number, after: Cursor, limit: number) => Promise<SlotRow[]>
  /** The counts by value of a link after a row, whose key is period, dimension and value, in the order of these. */
  valuesAfter: (table: ValueTable, linkId: number, after: Cursor, limit: number) => Promise<ValueRow[]>
}

/** Reads the folded scans. What one call returns was true at one moment, whatever is folded meanwhile. */
export interface RowQueries extends PageQueries {
  /** In the order of the links. */
  totals: (linkIds: number[]) => Promise<TotalsRow[]>
  /** The same in brief, in any order, without links that have no scans: 10,000 links in one statement. */
  briefTotals: (linkIds: number[]) => Promise<BriefTotalsRow[]>
  /** How far another node's fold is behind, in milliseconds; 0 when no other node is. */
  behindMs: () => Promise<number>
  /** How many scans of a link are counted and have no row, ever. */
  missing: (linkId: number) => Promise<number>
  /** How many scans of links have rows of their own in ranges of the quarter-hourly rollup, nearly: old rows may be removed. */
  rawScans: (linkIds: number[], ranges: SlotRange[]) => Promise<number>
  rawSlots: (linkId: number, range: SlotRange) => Promise<RawSlots>
  /** The raw scans of a link in a range of time, in milliseconds since 1970, in any order. */
  rawRows: (linkId: number, from: number, to: number) => Promise<RawRow[]>
  /** Lets other calls go on where a call reads in several turns of the event loop. */
  pause: () => Promise<void>
  ofLink: (linkId: number, query: LinkQuery) => Promise<LinkRows>
  ofLinks: (linkIds: number[], query: CountsQuery) => Promise<ManyRows>
  /** Reads the texts of these ids, which never change. */
  texts: (ids: Iterable<number>) => Promise<TextOf>
}

/** What statistics read of rollups, or of raw scans with filters. */
export type CountedRows = Pick<RowQueries, 'ofLink' | 'ofLinks' | 'texts'>
