import { createBoundedCache } from '../lib/bounded-cache.ts'
import { publicBytes } from './address.ts'
import type { Place, PlaceFile } from './record.ts'

/** Returns the place of an address. Never throws: any other text, and any address that is not public, is `unknownPlace`. */
export type FindPlace = (address: string) => Place

const CACHED_PLACES = 10_000

export const unknownPlace: Place = Object.freeze({ country: null, city: null })

/** Creates a look-up that caches the places of the latest addresses, in memory only. */
export function createFindPlace(files: readonly PlaceFile[]): FindPlace {
  const cache = createBoundedCache<Place>(CACHED_PLACES)
  return (address) => {
    let place = cache.get(address)
    if (place === undefined) cache.set(address, (place = findIn(files, address)), 1)
    return place
  }
}

/** The place in the first file that has one; its city may come from a later file with the same country. */
export function findIn(files: readonly PlaceFile[], address: string): Place {
  const bytes = publicBytes(address)
  if (bytes === undefined) return unknownPlace
  let { country, city } = unknownPlace
  for (const file of files) {
    const place = lookUp(file, bytes)
    country ??= place.country
    if (place.country === null || place.country === country) city ??= place.city
    if (country !== null && city !== null) break
  }
  return { country, city }
}

/** A damaged file must not fail a visit. */
function lookUp(file: PlaceFile, bytes: number[]): Place {
  try {
    return file.find(bytes) ?? unknownPlace
  } catch {
    return unknownPlace
  }
}
