/** No name that is known is longer. */
const MAX_LENGTH = 40

/**
 * The known name that a misspelled one most likely means: the same but for case, `_` and `-`, or else with the fewest
 * letters inserted, left out, replaced or swapped, at most one for each three. Undefined when none is that near.
 */
export function nearName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const plain = plainOf(name)
  const same = known.find((each) => plainOf(each) === plain)
  if (same !== undefined) return same
  let nearest: string | undefined
  let least = Math.floor(plain.length / 3) + 1
  for (const each of known) {
    const other = plainOf(each)
    // Their lengths alone already tell that they are further apart.
    if (Math.abs(other.length - plain.length) >= least) continue
    const distance = distanceOf(plain, other)
    if (distance >= least) continue
    nearest = each
    least = distance
  }
  return nearest
}

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** The optimal string alignment distance, row by row. */
function distanceOf(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row++) {
    const present = [row]
    for (let at = 1; at <= to.length; at++) {
      const replaced = numberAt(last, at - 1) + (from[row - 1] === to[at - 1] ? 0 : 1)
      const isSwap = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      const swapped = isSwap ? numberAt(before, at - 2) + 1 : Number.POSITIVE_INFINITY
      present.push(Math.min(replaced, swapped, numberAt(last, at) + 1, numberAt(present, at - 1) + 1))
    }
    before = last
    last = present
  }
  return numberAt(last, to.length)
}

function numberAt(row: number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY
}
