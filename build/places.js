// Converts the databases of dependencies into the tables of places that look-ups read (dist/places). A failure must not
// fail `npm ci`, which runs it: without a table, quirl reads the databases, and without the database of cities it finds
// countries only.
import { mkdir } from 'node:fs/promises'

/** Holds each of the files, so that no block is read twice. */
const CACHE_BYTES = 128 * 1024 * 1024

try {
  const { bundledTables, cities, countries, openBundle } = await import('../src/places/bundled.ts')
  const { openCompact } = await import('../src/places/compact.ts')
  const { keyOf } = await import('../src/places/compact-format.ts')
  const { writeCompact } = await import('../src/places/compact-write.ts')
  await mkdir(bundledTables, { recursive: true })
  const isMade = (table, files) => {
    try {
      openCompact(table, keyOf(files)).close()
      return true
    } catch {
      return false
    }
  }
  for (const bundle of [cities, countries]) {
    const files = openBundle(bundle, undefined, CACHE_BYTES)
    const table = bundledTables + bundle.table
    if (files.length > 0 && !isMade(table, files)) writeCompact(files, table)
  }
} catch (error) {
  console.warn(`quirl: the tables of places could not be written: ${String(error)}`)
}
