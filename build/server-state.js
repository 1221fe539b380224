// Describes the inputs of dist/server. In JavaScript, because bin/quirl.js compares them at each start of a checkout.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const rootFolder = fileURLToPath(root)
export const serverFolder = new URL('dist/server/', root)
export const stateFile = 'made-of.json'

/** A digest of the sources in the bundle, by content: an edit may leave the time and size of a file unchanged. */
export function digestSources() {
  const hash = createHash('sha256')
  const files = readdirSync(new URL('src/', root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
  const others = ['package.json', 'build/server.js'].map((name) => join(rootFolder, name))
  for (const file of [...files.sort(), ...others]) {
    const content = readFileSync(file)
    hash.update(`${relative(rootFolder, file)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** @param {string} folder path of an installed package, from the root */
export function versionOf(folder) {
  return JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8')).version
}

/** Whether dist/server was built from these sources and the installed packages. */
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
