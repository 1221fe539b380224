/** What one read may have. */
export interface PartBounds {
  /** Rows at most. */
  rows: number
  /** Characters that the rows are to have; a single row may have more. */
  characters: number
}

/**
 * Reads what keys name in parts, each of as many as had few characters in the part before: strangers decide how large a row is, and the
 * event loop waits for each read.
 * @param read reads the rows of some keys, when the turn of whoever asks has come
 */
export async function* readInParts<Key, Row>(
  keys: readonly Key[],
  read: (some: Key[]) => Promise<Row[]>,
  charactersOf: (row: Row) => number,
  bounds: PartBounds,
): AsyncGenerator<Row[]> {
  let count = 1
  for (let from = 0; from < keys.length;) {
    const some = keys.slice(from, from + count)
    from += some.length
    const rows = await read(some)
    yield rows
    const characters = rows.reduce((sum, row) => sum + charactersOf(row), 0)
    const fitting = Math.floor((bounds.characters * some.length) / Math.max(1, characters))
    count = Math.max(1, Math.min(bounds.rows, 4 * count, fitting))
  }
}
