const bars = '▁▂▃▄▅▆▇█'
/** The widest line: longer series are summed into as many columns. */
const MAX_COLUMNS = 60

/** Draws counts as a line of bars; a space for none, so that one scan differs from no scan. */
export function sparkline(counts: readonly number[]): string {
  const columns = sumInto(counts, MAX_COLUMNS)
  const highest = Math.max(1, ...columns)
  return columns
    .map((count) => (count === 0 ? ' ' : (bars[Math.ceil((count / highest) * bars.length) - 1] ?? '')))
    .join('')
}

function sumInto(counts: readonly number[], most: number): number[] {
  const each = Math.ceil(counts.length / most)
  const columns: number[] = []
  for (let at = 0; at < counts.length; at += each) {
    columns.push(counts.slice(at, at + each).reduce((sum, count) => sum + count, 0))
  }
  return columns
}
