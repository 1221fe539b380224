import type { PlaceFile } from './record.ts'
import type { Source } from './source.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Older data are logged: most likely, nothing updates them any more. */
const OLD_DAYS = 90

export interface SourceLogOptions {
  now: () => number
  monotonic: () => number
  log: { warn: (text: string) => void }
}

/** Returns a function that logs new faults of sources, and that their data are old; each once. */
export function createSourceLog(sources: readonly Source[], { now, monotonic, log }: SourceLogOptions): () => void {
  // A new installation has nothing newer to install.
  const bundledFrom = monotonic() + HOUR_MS
  const states = sources.map((source) => ({ source, fault: null as string | null, builtAt: Number.NaN }))
  return () => {
    for (const state of states) {
      const { name, files, fault } = state.source
      if (fault !== null && fault !== state.fault) {
        log.warn(`GEOIP_DB: ${name} cannot be used (${fault}): ${consequence(files)}`)
      }
      state.fault = fault
      const builtAt = oldest(files)
      const days = Math.floor((now() - builtAt) / DAY_MS)
      if (!(days > OLD_DAYS) || builtAt === state.builtAt || (name === 'bundled' && monotonic() < bundledFrom)) continue
      state.builtAt = builtAt
      const advice =
        name === 'bundled' ? 'GEOIP_DB takes a URL, which is updated each month' : 'update it, as addresses move'
      log.warn(`GEOIP_DB: ${name} was built ${days} days ago: ${advice}`)
    }
  }
}

function consequence(files: readonly PlaceFile[]): string {
  return files.length > 0 ? 'the last good version stays in use' : 'the other sources are used, or else the bundled one'
}

/** The build time of the oldest file; NaN without files. */
export function oldest(files: readonly PlaceFile[]): number {
  return files.length === 0 ? Number.NaN : Math.min(...files.map(({ builtAt }) => builtAt))
}
