// The texts of a dictionary, and of the rows that have them.
import { dimensionNames } from '../../src/dimensions/dimensions.ts'
import { KEYS_OF_ADDRESS } from '../../src/scans/describing/visitor-key.ts'
import { OTHER } from '../../src/scans/text-ids.ts'
import { NOW, scan } from './fold-folders.ts'

/** Queries of the ids of the dictionary, and of those that rows have, which must be the same. */
export function textIds(schema = '') {
  const used = [
    ...['daily', 'monthly'].map((table) => `select value as id from ${schema}${table}`),
    ...dimensionNames.map((name) => `select ${name} as id from ${schema}scans`),
  ].join(' union ')
  return {
    kept: `select id from ${schema}dictionary where id > ${OTHER} order by id`,
    used: `select id from (${used}) as used where id > ${OTHER} order by id`,
  }
}

export const scanFrom = (linkId: number, referrer: string, at = NOW) => ({
  ...scan({ linkId, at, referrer }),
  first: true,
})

/** Scans of a link, each from another referrer, and by another address. */
export const scansFrom = (linkId: number, length: number, at = NOW) =>
  Array.from({ length }, (_, each) => ({
    ...scanFrom(linkId, `${each}.of-${linkId}.example`, at),
    visitor: each * KEYS_OF_ADDRESS,
  }))
