import { dimensionNames } from '../../../dimensions/dimensions.ts'
import type { RawRow, SlotRange } from '../row-queries.ts'

/** Of the flags of a scan: it is the visitor's first of the day; it is by a bot. */
export const FIRST = 1
export const BOT = 2

/**
 * The values of one dimension: ids of the dictionary, each once, and for each scan which of them it has, by position. Without
 * positions, all have the only one.
 */
export interface Column {
  ids: Uint32Array
  positions: Uint8Array | Uint16Array | Uint32Array | undefined
}

/** Raw scans of a link in a range of time, by columns: some 14 bytes a scan, where a row of a table has 60. It never changes. */
export interface Block extends SlotRange {
  size: number
  /** The quarter of an hour of each scan, counted from `fromSlot`: a month has 2,976. */
  slots: Uint16Array
  flags: Uint8Array
  /** In the order of the dimensions. */
  columns: Column[]
  bytes: number
}

/** What a block needs beside its arrays, about. */
const OVERHEAD = 4096
/** The first columns of a row: quarter of an hour, and flags. */
const BEFORE_VALUES = 2

/** Puts the rows of a range into columns. */
export function toBlock({ fromSlot, toSlot }: SlotRange, rows: readonly RawRow[]): Block {
  const slots = Uint16Array.from(rows, ([slot = 0]) => slot - fromSlot)
  const flags = Uint8Array.from(rows, ([, each = 0]) => each)
  const columns = dimensionNames.map((_, dimension) => toColumn(rows, BEFORE_VALUES + dimension))
  const sizes = columns.flatMap(({ ids, positions }) => [ids.byteLength, positions?.byteLength ?? 0])
  const bytes = sizes.reduce((sum, size) => sum + size, OVERHEAD + slots.byteLength + flags.byteLength)
  return { fromSlot, toSlot, size: rows.length, slots, flags, columns, bytes }
}

function toColumn(rows: readonly RawRow[], at: number): Column {
  const known = new Map<number, number>()
  const positions = new Uint32Array(rows.length)
  for (let row = 0; row < rows.length; row++) {
    const id = rows[row]?.[at] ?? 0
    let position = known.get(id)
    if (position === undefined) known.set(id, (position = known.size))
    positions[row] = position
  }
  return { ids: Uint32Array.from(known.keys()), positions: narrow(positions, known.size) }
}

function narrow(positions: Uint32Array, values: number): Column['positions'] {
  if (values <= 1) return undefined
  if (values <= 2 ** 8) return Uint8Array.from(positions)
  return values <= 2 ** 16 ? Uint16Array.from(positions) : positions
}
