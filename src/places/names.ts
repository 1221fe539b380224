import type { Mmdb } from './mmdb.ts'
import { cityNames, type Town } from './homonyms.ts'
import { placeAt, whereaboutsAt } from './record.ts'

/** Records of a file whose numbers are remembered, a power of 2; the largest free file has 425,000. */
const REMEMBERED = 2 ** 19

/** Numbers the places of files. Where two towns share a name is known at the end, so that names are written last. */
export function createNames() {
  // 0 is nowhere.
  const towns: Town[] = [{ country: null, city: null, whereabouts: undefined, weight: 0 }]
  const numbers = new Map<string, number>([['--', 0]])

  function numberAt(file: Mmdb, offset: number): number {
    const place = placeAt(file, offset)
    const found = whereaboutsAt(file, offset, place)
    const whereabouts = found?.region ? { ...found, region: found.region } : undefined
    const { country, city } = place
    const key = `${country ?? '--'}${city ?? ''}${whereabouts === undefined ? '' : `|${whereabouts.region}`}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, towns.length)
    return towns.push({ country, city, whereabouts, weight: 0 }) - 1
  }

  return {
    /** The number of a record's place, by its offset in a file. */
    of(file: Mmdb): (offset: number | undefined) => number {
      // Each in the one place that its offset has there, until another of the same place is read.
      const offsets = new Float64Array(REMEMBERED)
      const numbersOf = new Uint32Array(REMEMBERED)
      return (offset) => {
        if (offset === undefined) return 0
        const at = offset & (REMEMBERED - 1)
        if (offsets[at] !== offset) {
          numbersOf[at] = numberAt(file, offset)
          offsets[at] = offset
        }
        return numbersOf[at] ?? 0
      }
    },
    /** @param share of the address space that has turned out to be there */
    weigh(number: number, share: number): void {
      const town = towns[number]
      if (town !== undefined) town.weight += share
    },
    count: () => towns.length,
    /** Where each name begins and the last ends, and all of them, by their numbers. */
    finish(): { offsets: Uint32Array; bytes: Buffer } {
      const cities = cityNames(towns)
      const nameOf = (number: number) => `${towns[number]?.country ?? '--'}${cities[number] ?? ''}`
      const offsets = new Uint32Array(towns.length + 1)
      for (let number = 0; number < towns.length; number++) {
        offsets[number + 1] = (offsets[number] ?? 0) + Buffer.byteLength(nameOf(number))
      }
      const bytes = Buffer.alloc(offsets.at(-1) ?? 0)
      for (let number = 0; number < towns.length; number++) bytes.write(nameOf(number), offsets[number] ?? 0)
      return { offsets, bytes }
    },
  }
}

export type Names = ReturnType<typeof createNames>
