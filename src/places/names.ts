import type { Mmdb } from './mmdb.ts'
import { placeAt, whereaboutsAt } from './record.ts'
import { createStringTable } from './string-table.ts'

/** The most records of a file whose numbers are cached, a power of 2; the largest free file has 425,000 records. */
const CACHED = 2 ** 19
/** Separates a name and its region; neither has control characters. */
const SEPARATOR = '\n'

/** Numbers the places of files. Only at the end is it known which towns share a name, so that names are written last. */
export function createNames() {
  const places = createPlaces()
  return {
    /** Returns a function from the offset of a record in a file to the number of its place. */
    of(file: Mmdb): (offset: number | undefined) => number {
      // A direct-mapped cache: an offset determines its slot.
      const cached = Math.min(CACHED, 2 ** Math.ceil(Math.log2(file.size)))
      const offsets = new Float64Array(cached)
      const numbers = new Uint32Array(cached)
      return (offset) => {
        if (offset === undefined) return 0
        const slot = offset & (cached - 1)
        if (offsets[slot] !== offset) {
          numbers[slot] = places.numberAt(file, offset)
          offsets[slot] = offset
        }
        return numbers[slot] ?? 0
      }
    },
    addWeight: places.addWeight,
    count: places.count,
    /** Returns the start of each name with the end of the last, and all names, in the order of their numbers. */
    finish(): { offsets: Uint32Array; bytes: Buffer } {
      const suffixes = suffixesByNumber(places)
      const nameOf = (number: number) => (places.partsOf(number)[0] ?? '') + (suffixes.get(number) ?? '')
      const offsets = new Uint32Array(places.count() + 1)
      for (let number = 0; number < places.count(); number++) {
        offsets[number + 1] = (offsets[number] ?? 0) + Buffer.byteLength(nameOf(number))
      }
      const bytes = Buffer.alloc(offsets.at(-1) ?? 0)
      for (let number = 0; number < places.count(); number++) bytes.write(nameOf(number), offsets[number] ?? 0)
      return { offsets, bytes }
    },
  }
}

export type Names = ReturnType<typeof createNames>

type Town = Namesake & { number: number }

/** The distinct places of files by number, with their coordinates and weights. */
function createPlaces() {
  const keys = createStringTable()
  // By number: the latitude, the longitude and the share of the address space.
  let figures = new Float64Array(3 * 1024)
  // Number 0 is the unknown place.
  keys.numberOf('--')
  const partsOf = (number: number) => keys.textOf(number).split(SEPARATOR)

  return {
    numberAt: (file: Mmdb, offset: number): number => {
      const place = placeAt(file, offset)
      const { region = null, latitude = 0, longitude = 0 } = whereaboutsAt(file, offset, place) ?? {}
      const name = `${place.country ?? '--'}${place.city ?? ''}`
      const before = keys.count()
      const number = keys.numberOf(region === null ? name : name + SEPARATOR + region)
      if (number < before) return number
      if (number * 3 >= figures.length) {
        const larger = new Float64Array(figures.length * 2)
        larger.set(figures)
        figures = larger
      }
      figures.set([latitude, longitude], number * 3)
      return number
    },
    /** @param share the part of the address space of one of its networks */
    addWeight: (number: number, share: number): void => {
      figures[number * 3 + 2] = (figures[number * 3 + 2] ?? 0) + share
    },
    count: keys.count,
    /** A name, and its region if it may be ambiguous. */
    partsOf,
    townAt: (number: number): Town => {
      const [latitude = 0, longitude = 0, weight = 0] = figures.subarray(number * 3)
      return { number, region: partsOf(number)[1] ?? '', latitude, longitude, weight }
    },
  }
}

/** The suffixes of towns that share their names, by number. */
function suffixesByNumber({ count, partsOf, townAt }: ReturnType<typeof createPlaces>): Map<number, string> {
  const names = createStringTable()
  const firsts = new Uint32Array(count())
  const groups = new Map<number, Town[]>()
  for (let number = 1; number < count(); number++) {
    const [name = '', region] = partsOf(number)
    if (region === undefined) continue
    const group = names.numberOf(name)
    const first = firsts[group] ?? 0
    if (first === 0) firsts[group] = number
    else groups.set(group, [...(groups.get(group) ?? [townAt(first)]), townAt(number)])
  }
  const found = [...groups.values()].flatMap((group) => [...suffixesOf(group)])
  return new Map(found.map(([{ number }, suffix]) => [number, suffix]))
}

/** One of several towns with the same country and name. */
interface Namesake {
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
function suffixesOf<T extends Namesake>(namesakes: readonly T[]): Map<T, string> {
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
