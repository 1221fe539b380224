import type { FoldResult } from './folding/fold.ts'
import type { ImportedCount } from './import/clicks.ts'
import type { AddPart } from './import/part.ts'
import type { StatisticsCalls } from './statistics/calls.ts'
import type { HumansOfLink } from './statistics/totals.ts'

/** What a fold is to do besides. */
export interface FoldOptions {
  /** The journal file that is not closed and has scans, if there is one. */
  growing: string | undefined
  /** Links whose scans are dropped. */
  deletedLinks: number[]
  /** The newest committed link, to be recorded. */
  newest: number | undefined
  /** Links whose people are counted after the fold. */
  count: number[]
}

/** The calls that the warehouse's thread takes, whichever store it has. */
export interface WarehouseCalls extends StatisticsCalls {
  fold: (
    journals: string[],
    now: number,
    options: FoldOptions,
  ) => Promise<{ result: FoldResult; counts: HumansOfLink[] }>
  /** Adds visits that another service has counted, once for each link; not for a link that does not exist any more. */
  addImported: (counts: ImportedCount[]) => Promise<void>
  addPart: AddPart
  /** Scans that were lost to damage of the journal, ever. */
  lost: () => Promise<number>
  /** Removes all scans and counts of links. After an interruption, another call completes it. */
  purge: (linkIds: number[]) => Promise<void>
  /** Removes raw scans from before a time; the rollups stay. @returns how many, of large months about */
  prune: (before: number) => Promise<number>
  /** Removes texts that no row has any more. One call at a time. */
  sweepTexts: () => Promise<void>
  /** A page of the ids of all links that have scans, in ascending order. */
  linkIdsAfter: (linkId: number, limit: number) => Promise<number[]>
  close: () => Promise<void>
}
