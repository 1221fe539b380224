import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { Place, PlaceFile } from './record.ts'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../lib/public-address.ts'

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

/** The bytes of a public address: 4 for IPv4, 16 for IPv6; undefined for any other text. */
export function publicBytes(address: string): number[] | undefined {
  // ipaddr.js also accepts 1.2.3 and 010.1. An address with a zone is local to this machine.
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  const bytes = family === 4 ? address.split('.').map(Number) : bytesOfSix(address)
  return isPublicAddress(ipaddr.fromByteArray(bytes)) ? bytes : undefined
}

/** Parses a valid address; ipaddr.js takes 5 µs, half of the budget of a look-up. */
function bytesOfSix(address: string): number[] {
  const dotted = address.includes('.') ? address.lastIndexOf(':') + 1 : address.length
  const bytes: number[] = []
  let zerosAt = -1
  let group = -1
  for (let index = 0; index <= dotted; index++) {
    const code = index < dotted ? address.charCodeAt(index) : COLON
    if (code !== COLON) group = (group < 0 ? 0 : group * 16) + digitOf(code)
    else if (group >= 0) bytes.push(group >> 8, group & 255)
    // A colon without digits before it is the second of `::`, or the first when the address begins with `::`.
    else if (index < dotted) zerosAt = bytes.length
    if (code === COLON) group = -1
  }
  if (dotted < address.length) bytes.push(...address.slice(dotted).split('.').map(Number))
  if (bytes.length < 16) bytes.splice(zerosAt, 0, ...Array<number>(16 - bytes.length).fill(0))
  return isMapped(bytes) ? bytes.slice(12) : bytes
}

const COLON = 58

/** The value of a hexadecimal digit in either case: the low four bits of A and a in ASCII are 1. */
function digitOf(code: number): number {
  return code < COLON ? code - 48 : (code & 15) + 9
}

/** IPv4 written as IPv6, ::ffff:1.2.3.4. */
function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes[0] === 0 && bytes[10] === 255 && bytes[11] === 255 && !bytes.some((byte, index) => index < 10 && byte > 0)
  )
}
