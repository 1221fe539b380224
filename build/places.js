// Makes the table of cities that look-ups read (dist/places), of the files of an optional dependency. Part of `npm ci`, so
// that what cannot be done is no error: without the table, quirl reads the files themselves, and without these it knows
// countries only.
import { mkdir } from 'node:fs/promises'

const out = new URL('../dist/places/', import.meta.url)

try {
  const { bundledTable, openBundledCities } = await import('../src/places/bundled.ts')
  const { openCompact } = await import('../src/places/compact.ts')
  const { keyOf } = await import('../src/places/compact-format.ts')
  const { writeCompact } = await import('../src/places/compact-write.ts')
  const cities = openBundledCities()
  await mkdir(out, { recursive: true })
  try {
    openCompact(bundledTable, keyOf(cities)).close()
  } catch {
    if (cities.length > 0) writeCompact(cities, bundledTable)
  }
} catch (error) {
  console.warn(`quirl: the table of cities could not be made: ${String(error)}`)
}
