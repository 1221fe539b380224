import type { Mmdb } from './mmdb.ts'
import { suffixesOf, type Namesake } from './homonyms.ts'
import { placeAt, whereaboutsAt } from './record.ts'
import { createTexts } from './texts.ts'

/** Records of a file whose numbers are remembered, a power of 2; the largest free file has 425,000. */
const REMEMBERED = 2 ** 19
/** Stands between a name and its region; in neither are control characters. */
const BREAK = '\n'

/** Numbers the places of files. Where two towns share a name is known at the end, so that names are written last. */
export function createNames() {
  const keys = createTexts()
  // By number: the latitude, the longitude and the share of the address space of each.
  let figures = new Float64Array(3 * 1024)
  // 0 is nowhere.
  keys.numberOf('--')

  function numberAt(file: Mmdb, offset: number): number {
    const place = placeAt(file, offset)
    const { region = null, latitude = 0, longitude = 0 } = whereaboutsAt(file, offset, place) ?? {}
    const name = `${place.country ?? '--'}${place.city ?? ''}`
    const before = keys.count()
    const number = keys.numberOf(region === null ? name : name + BREAK + region)
    if (number < before) return number
    if (number * 3 >= figures.length) {
      const larger = new Float64Array(figures.length * 2)
      larger.set(figures)
      figures = larger
    }
    figures.set([latitude, longitude], number * 3)
    return number
  }

  return {
    /** The number of a record's place, by its offset in a file. */
    of(file: Mmdb): (offset: number | undefined) => number {
      // Each in the one place that its offset has there, until another of the same place is read.
      const offsets = new Float64Array(REMEMBERED)
      const numbers = new Uint32Array(REMEMBERED)
      return (offset) => {
        if (offset === undefined) return 0
        const at = offset & (REMEMBERED - 1)
        if (offsets[at] !== offset) {
          numbers[at] = numberAt(file, offset)
          offsets[at] = offset
        }
        return numbers[at] ?? 0
      }
    },
    /** @param share of the address space that has turned out to be there */
    weigh(number: number, share: number): void {
      figures[number * 3 + 2] = (figures[number * 3 + 2] ?? 0) + share
    },
    count: keys.count,
    /** Where each name begins and the last ends, and all of them, by their numbers. */
    finish(): { offsets: Uint32Array; bytes: Buffer } {
      const partsOf = (number: number) => keys.textOf(number).split(BREAK)
      const townOf = (number: number) => {
        const [latitude = 0, longitude = 0, weight = 0] = figures.subarray(number * 3)
        return { number, region: partsOf(number)[1] ?? '', latitude, longitude, weight }
      }
      const suffixes = suffixesByNumber(keys.count(), partsOf, townOf)
      const nameOf = (number: number) => (partsOf(number)[0] ?? '') + (suffixes.get(number) ?? '')
      const offsets = new Uint32Array(keys.count() + 1)
      for (let number = 0; number < keys.count(); number++) {
        offsets[number + 1] = (offsets[number] ?? 0) + Buffer.byteLength(nameOf(number))
      }
      const bytes = Buffer.alloc(offsets.at(-1) ?? 0)
      for (let number = 0; number < keys.count(); number++) bytes.write(nameOf(number), offsets[number] ?? 0)
      return { offsets, bytes }
    },
  }
}

export type Names = ReturnType<typeof createNames>

type Town = Namesake & { number: number }

/** What stands after the names of towns that share theirs, by their numbers. */
function suffixesByNumber(
  count: number,
  partsOf: (number: number) => string[],
  townOf: (number: number) => Town,
): Map<number, string> {
  const names = createTexts()
  const firsts = new Uint32Array(count)
  const groups = new Map<number, Town[]>()
  for (let number = 1; number < count; number++) {
    const [name = '', region] = partsOf(number)
    if (region === undefined) continue
    const group = names.numberOf(name)
    const first = firsts[group] ?? 0
    if (first === 0) firsts[group] = number
    else groups.set(group, [...(groups.get(group) ?? [townOf(first)]), townOf(number)])
  }
  const found = [...groups.values()].flatMap((group) => [...suffixesOf(group)])
  return new Map(found.map(([{ number }, suffix]) => [number, suffix]))
}
