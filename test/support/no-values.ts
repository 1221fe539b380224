import { dimensionNames, type DimensionName } from '../../src/dimensions/dimensions.ts'

/** The values of a scan that says nothing. A scan of a test begins with them, so that a new dimension changes no test. */
export const noValues = {
  ...(Object.fromEntries(dimensionNames.map((name) => [name, null])) as Record<DimensionName, null>),
  source: 'link' as const,
}
