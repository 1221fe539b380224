import { createBoundedCache } from '../lib/bounded-cache.ts'
import { publicBytes } from './address.ts'
import type { Place, PlaceFile } from './record.ts'

/** Never throws: what is no address of the public internet is nowhere. */
export type FindPlace = (address: string) => Place

const CACHED_PLACES = 10_000

export const nowhere: Place = Object.freeze({ country: null, city: null })

/** Remembers the places of the latest addresses, in memory alone. */
export function createFind(files: readonly PlaceFile[]): FindPlace {
  const cache = createBoundedCache<Place>(CACHED_PLACES)
  return (address) => {
    let place = cache.get(address)
    if (place === undefined) cache.set(address, (place = findIn(files, address)), 1)
    return place
  }
}

/** What the first file knows; a city of a later one only where both mean the same country. */
export function findIn(files: readonly PlaceFile[], address: string): Place {
  const bytes = publicBytes(address)
  if (bytes === undefined) return nowhere
  let { country, city } = nowhere
  for (const file of files) {
    const place = lookUp(file, bytes)
    country ??= place.country
    if (place.country === null || place.country === country) city ??= place.city
    if (country !== null && city !== null) break
  }
  return { country, city }
}

/** A visit is worth more than its place: what is damaged is not known. */
function lookUp(file: PlaceFile, bytes: number[]): Place {
  try {
    return file.find(bytes) ?? nowhere
  } catch {
    return nowhere
  }
}
