/** One of several towns whose country and name are the same. */
export interface Namesake {
  region: string
  latitude: number
  longitude: number
  /** How much of the address space is there. */
  weight: number
}

/** Nearer ones are one town, whose region is written in several ways (Prague is in "Prague" and in "Hlavni mesto Praha"). */
const NEAR_KM = 50
const KM_A_DEGREE = 111

/**
 * What stands after the name of each: the region after all but the largest. So the name that most visits have does not
 * change when a village of that name comes into the data.
 */
export function suffixesOf<T extends Namesake>(namesakes: readonly T[]): Map<T, string> {
  const suffixes = new Map<T, string>()
  const apart: T[] = []
  for (const each of namesakes.toSorted((a, b) => b.weight - a.weight)) {
    const same = apart.find((other) => isNear(other, each))
    const suffix = same === undefined ? `, ${each.region}` : (suffixes.get(same) ?? '')
    suffixes.set(each, apart.length === 0 ? '' : suffix)
    if (same === undefined) apart.push(each)
  }
  return suffixes
}

/** As the crow flies on a flat map: what is asked is nearer than the next town of the name. */
function isNear(a: Namesake, b: Namesake): boolean {
  const east = (a.longitude - b.longitude) * Math.cos((a.latitude * Math.PI) / 180)
  return Math.hypot(a.latitude - b.latitude, east) * KM_A_DEGREE < NEAR_KM
}
