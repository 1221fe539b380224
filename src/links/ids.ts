import { randomInt } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { findIdFrom } from './instance-store.ts'

/** Older versions counted IDs from 1: theirs are smaller. */
const MIN_START = 2 ** 32
/** SQLite stores a number below 2^47 in six bytes. */
const MAX_START = 2 ** 47 - 2 ** 40
/** How many free IDs a process wants ahead of it. */
const MIN_FREE = 2 ** 28

/** The IDs of new links. Each scan stores one, so that an ID must never be used again. */
export interface LinkIds {
  next: () => number
  /** To be called after the creation of the link with this ID was committed. */
  markUsed: (id: number) => void
  /** The largest ID that was used since the start. */
  newest: () => number | undefined
}

/**
 * Counts up from a random start, which each process draws anew. So no two processes use the same ID, whichever copy of the
 * store each has opened: the IDs of links that a restore has lost are not used again.
 */
export async function openLinkIds(
  db: Database,
  drawStart: () => number = () => randomInt(MIN_START, MAX_START),
): Promise<LinkIds> {
  let last = (await findFreeStart(db, drawStart)) - 1
  let newest: number | undefined
  return {
    next: () => ++last,
    markUsed: (id) => void (newest = Math.max(newest ?? 0, id)),
    newest: () => newest,
  }
}

/** A start after which this store has no links for `MIN_FREE` IDs. */
async function findFreeStart(db: Database, drawStart: () => number): Promise<number> {
  for (;;) {
    const first = drawStart()
    const taken = await findIdFrom(db.read, first)
    if (taken === undefined || taken - first >= MIN_FREE) return first
  }
}
