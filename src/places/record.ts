import type { Mmdb } from './mmdb.ts'
import { hasRegions, regionCode } from './regions.ts'

/** Where an address is, as far as is known. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  country: string | null
  city: string | null
}

/** A source of places that is open. */
export interface PlaceFile {
  /** Of the file as it was published. */
  size: number
  builtAt: number
  type: string
  /**
   * The place of an address (4 or 16 bytes), if it is known.
   * @throws when the file is damaged there, or cannot be read
   */
  find: (address: readonly number[]) => Place | undefined
  /** Has the system read all of it, so that look-ups do not wait for the disk; where it is small enough for that. */
  readAhead?: () => Promise<void>
  close: () => void
}

/** Looks places up in a published file as it stands. */
export function placesIn(file: Mmdb): PlaceFile {
  const { size, builtAt, type, close } = file
  return {
    size,
    builtAt,
    type,
    find(address) {
      const offset = file.find(address)
      return offset === undefined ? undefined : placeAt(file, offset)
    },
    close,
  }
}

const LONGEST_CITY = 100

/** The names of MaxMind's records, and of flat ones. */
const countryPaths = [['country_code'], ['country', 'iso_code'], ['country']]
const cityPaths = [['city'], ['city', 'names', 'en']]
const regionPaths = [['state1'], ['subdivisions', 'iso_code'], ['region']]
/** Of regions that have no code of their own which people would know. */
const regionNamePaths = [['state1'], ['subdivisions', 'names', 'en'], ['region'], ['subdivisions', 'iso_code']]
const latitudePaths = [['latitude'], ['location', 'latitude']]
const longitudePaths = [['longitude'], ['location', 'longitude']]

/** Cities whose names hold parentheses that are no district. */
const namedByRiver = /^(?:Frankfurt \(Oder\)|Halle \(Saale\))/

type Data = Pick<Mmdb, 'data'>

/** The free data have these cities under their districts as well (Paris 19 Buttes-Chaumont, Praha 10). */
const numberedDistrict = /^(Paris|Lyon|Marseille|Praha) \d/

/** @throws when the file is damaged there, or cannot be read */
export function placeAt({ data }: Data, offset: number): Place {
  const country = countryOf(textAt(data, offset, countryPaths))
  const city = cityOf(textAt(data, offset, cityPaths))
  const region = city === null ? undefined : regionCode(country, textAt(data, offset, regionPaths))
  return { country, city: region === undefined ? city : `${city}, ${region}` }
}

/** What tells towns of one name apart. */
export interface Whereabouts {
  region: string | null
  latitude: number
  longitude: number
}

/**
 * Of a place whose name may be another's as well; undefined where its region is in its name already, or nothing is known.
 * @throws when the file is damaged there, or cannot be read
 */
export function whereaboutsAt({ data }: Data, offset: number, { country, city }: Place): Whereabouts | undefined {
  if (city === null || country === null || hasRegions(country)) return undefined
  const latitude = numberAt(data, offset, latitudePaths)
  const longitude = numberAt(data, offset, longitudePaths)
  if (latitude === undefined || longitude === undefined) return undefined
  return { region: cityOf(textAt(data, offset, regionNamePaths)), latitude, longitude }
}

function textAt(data: Mmdb['data'], offset: number, paths: string[][]): string | undefined {
  for (const path of paths) {
    const text = data.text(offset, path)
    if (text !== undefined) return text
  }
  return undefined
}

function numberAt(data: Mmdb['data'], offset: number, paths: string[][]): number | undefined {
  for (const path of paths) {
    const number = data.number(offset, path)
    if (number !== undefined && Math.abs(number) <= 180) return number
  }
  return undefined
}

function countryOf(code: string | undefined): string | null {
  // EU and AP stand for regions in older files, ZZ and XX for "unknown".
  return code !== undefined && /^(?!EU|AP|ZZ|XX)[A-Z]{2}$/.test(code) ? code : null
}

/**
 * A name comes from a file that others write, and goes into pages and spreadsheets. Databases put the district after it, in
 * parentheses, brackets or as a number: so fine a place would tell more of a visitor than a city does, and the city would
 * fall into pieces.
 */
function cityOf(name = ''): string | null {
  const spaced = name
    .slice(0, LONGEST_CITY)
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
  const clean = spaced.replace(/\p{C}+/gu, '').trim()
  const numbered = numberedDistrict.exec(clean)?.[1]
  if (numbered !== undefined) return numbered === 'Praha' ? 'Prague' : numbered
  const district = clean.search(/ [([]/)
  if (district < 0) return clean || null
  return namedByRiver.exec(clean)?.[0] ?? clean.slice(0, district)
}
