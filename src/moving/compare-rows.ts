import { PAGE_BYTES, PAGE_ROWS, bytesOf, type Change, type Pages, type Row, type Value } from './table.ts'

/** Compares two keys in the order in which both stores return rows. */
function compareKeys(a: Row, b: Row, keyLength: number): number {
  for (let at = 0; at < keyLength; at++) {
    const order = compareValues(a[at] ?? null, b[at] ?? null)
    if (order !== 0) return order
  }
  return 0
}

function compareValues(a: Value, b: Value): number {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

function areEqual(a: Row, b: Row): boolean {
  return a.every((value, at) => {
    const other = b[at]
    return value === other || (ArrayBuffer.isView(value) && ArrayBuffer.isView(other) && isSameBytes(value, other))
  })
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** The rows of a table, one after the other. */
interface Cursor {
  row: () => Row | undefined
  /** Goes on to the next row; loads the next page when it is needed. */
  next: () => Promise<void> | undefined
  end: () => Promise<unknown>
}

async function open(pages: Pages): Promise<Cursor> {
  const iterator = pages[Symbol.asyncIterator]()
  let page: Row[] = []
  let at = 0
  const load = async () => {
    const { value, done } = await iterator.next()
    page = done === true ? [] : value
    at = 0
  }
  await load()
  return {
    row: () => page[at],
    next: () => (++at < page.length ? undefined : load()),
    end: async () => iterator.return?.(),
  }
}

/**
 * Finds what makes the rows of one table equal to those of another, by reading both once in the order of their keys.
 * @param onDifference called with changes of bounded size
 */
export async function compareRows(
  wanted: Pages,
  found: Pages,
  keyLength: number,
  onDifference: (change: Change) => Promise<void>,
): Promise<void> {
  const [source, target] = await Promise.all([open(wanted), open(found)])
  const differences = collect()
  try {
    for (;;) {
      const [a, b] = [source.row(), target.row()]
      const order = orderOf(a, b, keyLength)
      if (order === undefined) break
      differences.add(order, a, b)
      if (differences.isDue()) await onDifference(differences.take())
      // Most rows are in memory: a promise for each would take longer than the comparison.
      const loading = advance(order, source, target)
      if (loading !== undefined) await loading
    }
    if (differences.any()) await onDifference(differences.take())
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

/** Which of two rows comes first; one that is missing comes last. Undefined when both are missing. */
function orderOf(a: Row | undefined, b: Row | undefined, keyLength: number): number | undefined {
  if (a !== undefined && b !== undefined) return compareKeys(a, b, keyLength)
  if (a === undefined && b === undefined) return undefined
  return a === undefined ? 1 : -1
}

/** Goes on from the row that comes first, or from both when their keys are equal. */
function advance(order: number, source: Cursor, target: Cursor): Promise<unknown> | undefined {
  const first = order <= 0 ? source.next() : undefined
  const second = order >= 0 ? target.next() : undefined
  if (first === undefined || second === undefined) return first ?? second
  return Promise.all([first, second])
}

/** Collects differences until they are worth a transaction. */
function collect() {
  let change: Change = { put: [], remove: [] }
  let bytes = 0
  const count = () => change.put.length + change.remove.length
  return {
    /** Adds what differs between two rows, of which the one that comes first matters. */
    add(order: number, wanted: Row | undefined, found: Row | undefined): void {
      if (found !== undefined && order > 0) change.remove.push(found)
      if (wanted === undefined || order > 0 || (order === 0 && found !== undefined && areEqual(wanted, found))) return
      change.put.push(wanted)
      bytes += bytesOf(wanted)
    },
    any: () => count() > 0,
    isDue: () => count() >= PAGE_ROWS || bytes >= PAGE_BYTES,
    take(): Change {
      const taken = change
      change = { put: [], remove: [] }
      bytes = 0
      return taken
    },
  }
}
