import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Reader } from 'mmdb-lib'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { isPublicAddress } from '../lib/public-address.ts'

/** Where an address is, as far as is known. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  country: string | null
  city: string | null
}

export interface Places {
  /** Never throws: what is no address of the public internet is nowhere. */
  find: (address: string) => Place
  /** What the operator should know, a line each. */
  warnings: string[]
}

/** What `mmdb-lib` does with a file, less the types that it promises without looking. */
interface PlaceReader {
  metadata: { ipVersion: number; searchTreeSize: number; buildEpoch: Date }
  get: (address: string) => unknown
}

/** Who has a file of their own has something that renews it, weekly or monthly: past this it has most likely stopped. */
const OLD_DAYS = 90
const DAY_MS = 86_400_000
const LONGEST_CITY = 100
const CACHED_PLACES = 10_000
/** The countries of both kinds of addresses, of the regional registries' data (NRO, CC BY 4.0): 8 MB, in memory. */
const BUNDLED = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

const nowhere: Place = Object.freeze({ country: null, city: null })
/**
 * Opens the database of places, which is read into memory whole (a file of cities has 60 to 130 MB).
 *
 * @param file an `.mmdb` file (https://maxmind.github.io/MaxMind-DB/) with MaxMind's records (`country.iso_code`,
 *   `city.names.en`) or flat ones (`country_code`, `city`). Without one, or while it cannot be used, countries come
 *   from the bundled file and cities are unknown.
 * @param now milliseconds since 1970, to tell the file's age by
 */
export async function openPlaces(file: string | undefined, now: () => number): Promise<Places> {
  const warnings: string[] = []
  if (file !== undefined) {
    const given = await attempt(() => file)
    if ('reader' in given) return { find: createFind(given.reader), warnings: ageWarnings(file, given.reader, now()) }
    warnings.push(
      `GEOIP_DB: ${file} cannot be used (${given.fault}): countries are the bundled file's, cities are unknown`,
    )
  }
  const bundled = await attempt(() => createRequire(import.meta.url).resolve(BUNDLED))
  if ('reader' in bundled) return { find: createFind(bundled.reader), warnings }
  warnings.push(`the bundled file of countries cannot be used (${bundled.fault}): install again, or set GEOIP_DB`)
  return { find: () => nowhere, warnings }
}

function ageWarnings(file: string, { metadata }: PlaceReader, now: number): string[] {
  const days = Math.floor((now - metadata.buildEpoch.getTime()) / DAY_MS)
  return days > OLD_DAYS ? [`GEOIP_DB: ${file} was built ${days} days ago: renew it, as addresses move`] : []
}

async function attempt(locate: () => string): Promise<{ reader: PlaceReader } | { fault: string }> {
  try {
    return { reader: await openFile(locate()) }
  } catch (error) {
    // What the reader stumbled over says nothing to an operator; what the system says (ENOENT, EACCES) does.
    return { fault: (error as NodeJS.ErrnoException).code ?? 'it is no whole .mmdb file' }
  }
}

/** @throws when the file cannot be read, or is none, or is damaged where it is looked at */
async function openFile(path: string): Promise<PlaceReader> {
  const bytes = await readFile(path)
  const reader: PlaceReader = new Reader(bytes)
  const { searchTreeSize, ipVersion, buildEpoch } = reader.metadata
  const isWhole = searchTreeSize < bytes.length && (ipVersion === 4 || ipVersion === 6)
  if (!isWhole || Number.isNaN(buildEpoch.getTime())) throw new Error('the metadata do not fit the file')
  // A look into each /8, so that a damaged tree is found now and not by a visit.
  for (let first = 1; first < 224; first++) reader.get(`${first}.0.0.1`)
  return reader
}

/** Remembers the places of the latest addresses, in memory alone. */
function createFind(reader: PlaceReader): Places['find'] {
  const cache = createBoundedCache<Place>(CACHED_PLACES)
  return (address) => {
    let place = cache.get(address)
    if (place === undefined) cache.set(address, (place = findIn(reader, address)), 1)
    return place
  }
}

function findIn(reader: PlaceReader, address: string): Place {
  // ipaddr.js reads 1.2.3 and 010.1 as addresses too.
  if (isIP(address) === 0) return nowhere
  try {
    const parsed = ipaddr.process(address)
    // A tree of IPv4 would take the first bits of an IPv6 address for one of its own.
    if (!isPublicAddress(parsed) || (parsed.kind() === 'ipv6' && reader.metadata.ipVersion === 4)) return nowhere
    const record = reader.get(parsed.toString())
    return { country: countryOf(record), city: cityOf(record) }
  } catch {
    return nowhere
  }
}

function countryOf(record: unknown): string | null {
  const code = textAt(record, 'country_code') ?? textAt(record, 'country', 'iso_code') ?? textAt(record, 'country')
  // EU and AP stand for regions in older files, ZZ and XX for "unknown".
  return code !== undefined && /^(?!EU|AP|ZZ|XX)[A-Z]{2}$/.test(code) ? code : null
}

/** A name comes from a file that others write, and goes into pages and spreadsheets. */
function cityOf(record: unknown): string | null {
  const name = textAt(record, 'city') ?? textAt(record, 'city', 'names', 'en') ?? ''
  const spaced = name.slice(0, LONGEST_CITY).replace(/[\p{Cc}\p{Z}]+/gu, ' ')
  return spaced.replace(/\p{C}+/gu, '').trim() || null
}

function textAt(record: unknown, ...path: string[]): string | undefined {
  let value = record
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return typeof value === 'string' ? value : undefined
}
