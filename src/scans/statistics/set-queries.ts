/** Of a link with scans: how many, how many by humans, and when the last one was. */
export type BriefTotalsRow = readonly [linkId: number, scans: number, humans: number, lastAt: number]

/** Counts of people and of bots: scans, and the first ones of a day. */
type Four = readonly [humans: number, humanFirsts: number, bots: number, botFirsts: number]

/** All scans of a link ever, and how many rows were imported to it: whatever is added to its rollups changes one of them. */
export type SignatureRow = readonly [linkId: number, ...Four, imported: number]

/** A row of a rollup by value, of any link; several may have the same key. */
export type PeriodRow = readonly [period: number, dimension: number, value: number, ...Four]

/** Since when the rollups of links are still growing. */
export interface Since {
  /** A UTC day. */
  day: number
  /** The UTC month of that day; undefined to read no months. */
  month: number | undefined
}

/** The rows of links that are still growing, all of one moment. */
export interface GrowingRows {
  signatures: SignatureRow[]
  slots: (readonly [linkId: number, slot: number, ...Four])[]
  /** Of days, and of months, which are those with `isMonth` 1. */
  values: (readonly [linkId: number, isMonth: number, ...PeriodRow])[]
}

/** Periods of a rollup by value, both included. */
export interface PeriodRange {
  table: 'daily' | 'monthly'
  from: number
  to: number
}

/** Reads the rows of many links at once, in any order. Links without rows are left out. */
export interface SetQueries {
  briefTotals: (linkIds: number[]) => Promise<BriefTotalsRow[]>
  signatures: (linkIds: number[]) => Promise<SignatureRow[]>
  growing: (linkIds: number[], since: Since) => Promise<GrowingRows>
  periods: (linkIds: number[], range: PeriodRange) => Promise<PeriodRow[]>
  /** Sums by quarter of an hour; several rows may have the same one. */
  slotsOf: (linkIds: number[], fromSlot: number, toSlot: number) => Promise<(readonly [slot: number, ...Four])[]>
  /** Sums by link. */
  sumsOf: (linkIds: number[], fromSlot: number, toSlot: number) => Promise<(readonly [linkId: number, ...Four])[]>
  /** How many scans are counted and have no row. */
  missingOf: (linkIds: number[], fromSlot: number, toSlot: number) => Promise<number>
}
