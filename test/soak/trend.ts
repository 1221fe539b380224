/**
 * The slope of values that were measured at equal intervals, by Theil and Sen: the median of the slopes of all pairs. A third
 * of the values may be outliers, such as a heap right before its collection, without moving it.
 */
export function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((first, at) =>
    values.slice(at + 1).map((second, distance) => (second - first) / (distance + 1)),
  )
  return median(slopes)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}
