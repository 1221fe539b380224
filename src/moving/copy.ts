import { StartError } from '../lib/start-error.ts'
import { compareRows } from './compare-rows.ts'
import { summing, sumOf, type Sum } from './sum.ts'
import {
  nameOf,
  type Change,
  type Pages,
  type ReadableStore,
  type Snapshot,
  type Table,
  type WritableStore,
} from './table.ts'

/** The two stores, and what is moved between them. */
export interface Move {
  source: ReadableStore
  target: WritableStore
  tables: Table[]
  /** Called with each page that was written. */
  onPage: (table: string, rows: number) => void
  /** Ends the move at its next page. */
  signal: AbortSignal
}

/** A table that was copied: its rows in the source, and how many of them the target did not have. */
export interface Copied {
  table: Table
  sum: Sum
  changed: number
}

/**
 * Makes tables of the target equal to what they are in the source at this moment. Only what differs is written, in
 * transactions of bounded size: after an interruption, the next call goes on.
 */
export async function copyTables(move: Move): Promise<Copied[]> {
  const { source, target, tables, signal } = move
  const snapshot = await source.snapshot()
  try {
    const copied: Copied[] = []
    for (const table of tables) copied.push(await copyTable(snapshot, move, table))
    signal.throwIfAborted()
    await target.raise(await snapshot.counters())
    return copied
  } finally {
    await snapshot.close()
  }
}

async function copyTable(source: Snapshot, { target, onPage, signal }: Move, table: Table): Promise<Copied> {
  // Opened for each table: one that was written before may have removed rows of this one.
  const found = await target.snapshot()
  const { pages, sum } = summing(whileGoingOn(source.pages(table), signal))
  let changed = 0
  const onDifference = async (change: Change) => {
    signal.throwIfAborted()
    await target.apply(table, change)
    changed += change.put.length + change.remove.length
    onPage(nameOf(table), changed)
  }
  try {
    await compareRows(pages, found.pages(table), table.keyLength, onDifference)
    return { table, sum: sum(), changed }
  } finally {
    await found.close()
  }
}

async function* whileGoingOn(pages: Pages, signal: AbortSignal): Pages {
  for await (const page of pages) {
    signal.throwIfAborted()
    yield page
  }
}

/**
 * Compares the sums of the tables that were copied with those of the target: rows that did not differ were compared
 * already, so that only tables with changes are read again.
 * @throws {StartError} with the name of a table that differs
 */
export async function verifyCopied(
  { target, signal }: Pick<Move, 'target' | 'signal'>,
  copied: Copied[],
): Promise<void> {
  const snapshot = await target.snapshot()
  try {
    for (const { table, sum, changed } of copied) {
      if (changed === 0) continue
      const found = await sumOf(whileGoingOn(snapshot.pages(table), signal))
      if (found.rows === sum.rows && found.digest === sum.digest) continue
      throw new StartError(
        `the table ${nameOf(table)} differs after it was copied (${sum.rows} rows, and ${found.rows} in the copy): the move is not complete`,
      )
    }
  } finally {
    await snapshot.close()
  }
}
