import type { Scan } from '../scan.ts'

/** What a fold moves scans into: the folded scans of a store, and the keys of visitors. */
export interface FoldTarget {
  /** Bounds its transactions further, where the store has little room; always the same, so that a retry has the same chunks. */
  most?: ChunkBounds
  /** How far a journal file has been folded, and whether damage was found so far. */
  mark: (journal: string) => Awaitable<Pick<Mark, 'position' | 'isDamaged'>>
  /**
   * Adds scans, decides which are the first of a visitor on a day, and sets the mark of their file, in one transaction.
   * @returns how many of them only count (see `RawBound`)
   * @throws {FileError} when only this file cannot be folded
   */
  commit: (scans: Scan[], mark: Mark & { from: number }) => Awaitable<number>
  /**
   * Called before the file of the journal is removed whose scans were committed.
   * @throws unless the next process will find them
   */
  confirm: () => Awaitable<void>
  /**
   * Called after each run: destroys the keys of the days that the run has completed.
   * @param isComplete whether everything that was recorded before `now` is folded
   */
  finish: (now: number, isComplete: boolean) => Awaitable<void>
  /** Files of keys that were found damaged since the last call. */
  damagedKeys: () => string[]
  /** Scans that were lost to damage of the journal, ever. */
  lost: () => Awaitable<number>
  close: () => Awaitable<void>
}

/** What one transaction has at most. */
export interface ChunkBounds {
  scans: number
  links: number
}

/** The high-water mark of a journal file. */
export interface Mark {
  journal: string
  /** In bytes. */
  position: number
  /** Unreadable scans since the previous mark. */
  lost: number
  isDamaged: boolean
}

type Awaitable<T> = T | Promise<T>
