import type { Place, Whereabouts } from './record.ts'

/** One place as a file has it, told apart by its region. */
export interface Town extends Place {
  whereabouts: (Whereabouts & { region: string }) | undefined
  /** How much of the address space is there. */
  weight: number
}

/** Nearer ones are one town, whose region is written in several ways (Prague is in "Prague" and in "Hlavni mesto Praha"). */
const NEAR_KM = 50
const KM_A_DEGREE = 111

/**
 * What each town's city is called: where a country has several of one name, the region stands after the name of all but the
 * largest. So the name that most visits have does not change when a village of that name comes into the data.
 */
export function cityNames(towns: readonly Town[]): (string | null)[] {
  const names = towns.map(({ city }) => city)
  for (const indexes of namesakes(towns)) {
    const found: { town: Town; suffix: string }[] = []
    for (const index of indexes) {
      const town = towns[index] as Town
      const { region = '' } = town.whereabouts ?? {}
      const same = found.find((other) => isNear(other.town, town))
      const suffix = same?.suffix ?? (found.length === 0 ? '' : `, ${region}`)
      if (same === undefined) found.push({ town, suffix })
      names[index] = `${town.city}${suffix}`
    }
  }
  return names
}

/** The indexes of towns that share a country and a name, the largest first. */
function namesakes(towns: readonly Town[]): number[][] {
  const groups = new Map<string, number[]>()
  for (const [index, { country, city, whereabouts }] of towns.entries()) {
    if (whereabouts === undefined) continue
    const name = `${country}${city}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [index])
    else group.push(index)
  }
  const weightOf = (index: number) => towns[index]?.weight ?? 0
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted((a, b) => weightOf(b) - weightOf(a)))
}

/** As the crow flies on a flat map: what is asked is nearer than the next town of the name. */
function isNear({ whereabouts: a }: Town, { whereabouts: b }: Town): boolean {
  if (a === undefined || b === undefined) return false
  const east = (a.longitude - b.longitude) * Math.cos((a.latitude * Math.PI) / 180)
  return Math.hypot(a.latitude - b.latitude, east) * KM_A_DEGREE < NEAR_KM
}
