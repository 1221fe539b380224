import type { PlaceFile } from './record.ts'

/**
 * Looks into each /8 of IPv4, and a few of IPv6, so that a damaged file, or one that is about something else, is found
 * now and not by visits.
 * @throws when it is damaged there, or says nothing of places
 */
export function checkPlaces(file: PlaceFile): void {
  const firsts = Array.from({ length: 223 }, (_, index) => [index + 1, 0, 0, 1])
  const sixths = Array.from({ length: 32 }, (_, index) => [0x20 + index, 1, ...Array<number>(14).fill(0)])
  let records = 0
  let places = 0
  for (const address of [...firsts, ...sixths]) {
    const place = file.find(address)
    if (place === undefined) continue
    records++
    if (place.country !== null || place.city !== null) places++
  }
  if (records > 0 && places === 0) throw new Error('it names no countries and no cities')
}
