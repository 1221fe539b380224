/** One of several towns with the same country and name. */
export interface Namesake {
  region: string
  latitude: number
  longitude: number
  /** Its share of the address space. */
  weight: number
}

/** Nearer ones are one town with several spellings of its region (Prague is in "Prague" and in "Hlavni mesto Praha"). */
const NEAR_KM = 50
const KM_PER_DEGREE = 111

/**
 * Returns the suffix of each name: the region, except for the largest town. So the name in most statistics does not change
 * when a village of that name is added to the data.
 */
export function suffixesOf<T extends Namesake>(namesakes: readonly T[]): Map<T, string> {
  const suffixes = new Map<T, string>()
  const distinct: T[] = []
  for (const each of namesakes.toSorted((a, b) => b.weight - a.weight)) {
    const same = distinct.find((other) => isNear(other, each))
    const suffix = same === undefined ? `, ${each.region}` : (suffixes.get(same) ?? '')
    suffixes.set(each, distinct.length === 0 ? '' : suffix)
    if (same === undefined) distinct.push(each)
  }
  return suffixes
}

/** Equirectangular distance, which is exact enough for short distances. */
function isNear(a: Namesake, b: Namesake): boolean {
  const east = (a.longitude - b.longitude) * Math.cos((a.latitude * Math.PI) / 180)
  return Math.hypot(a.latitude - b.latitude, east) * KM_PER_DEGREE < NEAR_KM
}
