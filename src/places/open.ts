import { openBundled } from './bundled.ts'
import { checkPlaces } from './check.ts'
import { createFind, nowhere, type FindPlace } from './find.ts'
import { openMmdb } from './mmdb.ts'
import { placesIn, type PlaceFile } from './record.ts'

export interface Places {
  find: FindPlace
  /** What the operator should know, a line each. */
  warnings: string[]
}

/** Who has a file of their own has something that renews it, weekly or monthly: past this it has most likely stopped. */
const OLD_DAYS = 90
const DAY_MS = 86_400_000

/**
 * Opens the databases of places, of which a bounded part is in memory.
 *
 * @param path an `.mmdb` file (https://maxmind.github.io/MaxMind-DB/) with MaxMind's records (`country.iso_code`,
 *   `city.names.en`) or flat ones (`country_code`, `city`). Without one, or while it cannot be used, places come from
 *   the bundled ones.
 * @param now milliseconds since 1970, to tell the file's age by
 */
export function openPlaces(path: string | undefined, now: () => number): Places {
  const warnings: string[] = []
  if (path !== undefined) {
    const given = attempt(() => {
      const file = placesIn(openMmdb(path))
      checkPlaces(file)
      return [file]
    })
    if ('files' in given) return { find: createFind(given.files), warnings: ageWarnings(path, given.files, now()) }
    warnings.push(`GEOIP_DB: ${path} cannot be used (${given.fault}): places are the bundled files'`)
  }
  const bundled = attempt(() => openBundled())
  if ('files' in bundled) return { find: createFind(bundled.files), warnings }
  warnings.push(`the bundled file of countries cannot be used (${bundled.fault}): install again, or set GEOIP_DB`)
  return { find: () => nowhere, warnings }
}

function ageWarnings(path: string, [file]: PlaceFile[], now: number): string[] {
  const days = Math.floor((now - (file?.builtAt ?? now)) / DAY_MS)
  return days > OLD_DAYS ? [`GEOIP_DB: ${path} was built ${days} days ago: renew it, as addresses move`] : []
}

function attempt(open: () => PlaceFile[]): { files: PlaceFile[] } | { fault: string } {
  try {
    return { files: open() }
  } catch (error) {
    // What the reader stumbled over says nothing to an operator; what the system says (ENOENT, EACCES) does.
    return { fault: (error as NodeJS.ErrnoException).code ?? 'it is no whole .mmdb file of places' }
  }
}
