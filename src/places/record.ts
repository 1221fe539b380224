import type { Mmdb } from './mmdb.ts'
import { regionCode } from './regions.ts'

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

/** Cities whose names hold parentheses that are no district. */
const namedByRiver = /^(?:Frankfurt \(Oder\)|Halle \(Saale\))/

/** @throws when the file is damaged there, or cannot be read */
export function placeAt({ data }: Pick<Mmdb, 'data'>, offset: number): Place {
  const first = (paths: string[][]) => {
    for (const path of paths) {
      const text = data.text(offset, path)
      if (text !== undefined) return text
    }
    return undefined
  }
  const country = countryOf(first(countryPaths))
  const city = cityOf(first(cityPaths))
  const region = city === null ? undefined : regionCode(country, first(regionPaths))
  return { country, city: region === undefined ? city : `${city}, ${region}` }
}

function countryOf(code: string | undefined): string | null {
  // EU and AP stand for regions in older files, ZZ and XX for "unknown".
  return code !== undefined && /^(?!EU|AP|ZZ|XX)[A-Z]{2}$/.test(code) ? code : null
}

/**
 * A name comes from a file that others write, and goes into pages and spreadsheets. Databases put the district after it,
 * in parentheses: so fine a place would tell more of a visitor than a city does, and the city would fall into pieces.
 */
function cityOf(name = ''): string | null {
  const spaced = name
    .slice(0, LONGEST_CITY)
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
  const clean = spaced.replace(/\p{C}+/gu, '').trim()
  const district = clean.indexOf(' (')
  if (district < 0) return clean || null
  return namedByRiver.exec(clean)?.[0] ?? clean.slice(0, district)
}
