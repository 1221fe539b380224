import type { RecorderOptions } from '../../src/scans/recorder.ts'

/** The links of a store that has three, of which none is deleted. */
export const threeLinks: RecorderOptions['links'] = {
  id: () => Promise.resolve('links'),
  any: () => Promise.resolve(false),
  known: (ids) => Promise.resolve(new Set(ids)),
  existing: (ids) => Promise.resolve(new Set(ids)),
  toPurge: () => Promise.resolve([]),
  purged: () => Promise.resolve(),
  newest: () => 3,
}
