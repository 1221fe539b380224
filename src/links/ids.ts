import { randomInt } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { findIdFrom } from './instance-store.ts'

/** Links that were created before numbers were drawn have smaller ones. */
const LEAST = 2 ** 32
/** SQLite keeps a number below 2^47 in six bytes. */
const MOST = 2 ** 47 - 2 ** 40
/** How many numbers a process can give before it could meet those of another. */
const ROOM = 2 ** 28

/** The numbers of new links. They stand beside each scan, so that one that was given must never be given again. */
export interface LinkIds {
  next: () => number
  /** To be called when the creation of the link of that number was committed. */
  keep: (id: number) => void
  /** The largest number that was kept since the start. */
  newest: () => number | undefined
}

/**
 * Counts up from a place that is drawn at random, anew for each process. So no two processes give the same number, whatever
 * copy of the store each was started on: links that a restore has lost keep their numbers to themselves.
 */
export async function openLinkIds(
  db: Pick<Database, 'read'>,
  draw: () => number = () => randomInt(LEAST, MOST),
): Promise<LinkIds> {
  let last = (await drawFree(db, draw)) - 1
  let newest: number | undefined
  return {
    next: () => ++last,
    keep: (id) => void (newest = Math.max(newest ?? 0, id)),
    newest: () => newest,
  }
}

/** A number behind which this store has none for long. */
async function drawFree(db: Pick<Database, 'read'>, draw: () => number): Promise<number> {
  for (;;) {
    const first = draw()
    const taken = await findIdFrom(db.read, first)
    if (taken === undefined || taken - first >= ROOM) return first
  }
}
