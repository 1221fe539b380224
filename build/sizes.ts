// Prints how many packages are installed to run quirl, and the space that they take: `npm run sizes`.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { Locked } from './check-licences.ts'

const SHOWN = 10

const root = new URL('../', import.meta.url)
const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8')) as unknown

/** The bytes of the files of a package, without those of packages inside it. */
function sizeOf(folder: URL): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum
    const path = new URL(encodeURIComponent(entry.name), folder)
    return sum + (entry.isDirectory() ? sizeOf(new URL(`${path.href}/`)) : entry.isFile() ? statSync(path).size : 0)
  }, 0)
}

const { packages } = read('package-lock.json') as Locked
const { dependencies } = read('package.json') as { dependencies: object }
const installed = Object.entries(packages)
  .filter(([path, { dev = false }]) => path !== '' && !dev && existsSync(new URL(path, root)))
  .map(([path]) => ({ name: path.split('node_modules/').at(-1) ?? '', bytes: sizeOf(new URL(`${path}/`, root)) }))
  .toSorted((a, b) => b.bytes - a.bytes)
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1).padStart(8)
const total = installed.reduce((sum, { bytes }) => sum + bytes, 0)
console.log(`${installed.length} packages, of which quirl names ${Object.keys(dependencies).length}; in MB:`)
for (const { name, bytes } of installed.slice(0, SHOWN)) console.log(`${megabytes(bytes)}  ${name}`)
const rest = installed.slice(SHOWN).reduce((sum, { bytes }) => sum + bytes, 0)
console.log(`${megabytes(rest)}  ${installed.length - SHOWN} others\n${megabytes(total)}  in all`)
