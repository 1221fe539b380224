// What dist/server was made of. In JavaScript, because bin/quirl.js asks at each start of a checkout.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
export const serverFolder = new URL('dist/server/', root)
export const stateFile = 'made-of.json'

/** A digest of all that is ours and in the bundle, by what it holds: times and sizes of files may stay as they were. */
export function digestSources() {
  const hash = createHash('sha256')
  const files = readdirSync(new URL('src/', root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
  const others = ['package.json', 'build/server.js'].map((name) => new URL(name, root))
  for (const file of [...files.sort(), ...others]) {
    const content = readFileSync(file)
    hash.update(`${file} ${content.length}\n`.slice(root.pathname.length)).update(content)
  }
  return hash.digest('hex')
}

/** @param {string} folder of an installed package, from the root */
export function versionOf(folder) {
  return JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8')).version
}

/** Whether dist/server is what the sources say that lie here, with the packages that are installed. */
export function isCurrent() {
  try {
    const { sources, packages } = JSON.parse(readFileSync(new URL(stateFile, serverFolder), 'utf8'))
    return (
      Object.entries(packages).every(([folder, version]) => versionOf(folder) === version) &&
      sources === digestSources()
    )
  } catch {
    return false
  }
}
