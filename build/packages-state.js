// What dist/packages was made of. In JavaScript, because bin/quirl.js asks at each start of a checkout.
import { readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
export const packagesFolder = new URL('dist/packages/', root)
export const stateFile = 'made-of.json'

/** What package.json imports by a name of its own: that name, the package's module, and the file that stands for it. */
export function listImports() {
  const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  return Object.entries(imports).map(([name, { types, default: path }]) => ({
    name,
    module: types,
    file: path.split('/').at(-1),
  }))
}

/** The packages that those modules are of. */
export function listPackages() {
  return [...new Set(listImports().map(({ module }) => module.split('/')[0]))].map((name) => {
    const folder = new URL(`node_modules/${name}/`, root)
    return { name, folder, version: JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).version }
  })
}

/** A text that is another one when a package was updated, or another module is imported. */
export function describeState() {
  const packages = listPackages().map(({ name, version }) => [name, version])
  return `${JSON.stringify({ packages, imports: listImports() }, undefined, 2)}\n`
}

/** Whether dist/packages holds what is installed: `npm update` and `npm install <name>` do not run `prepare`. */
export function isCurrent() {
  try {
    return readFileSync(new URL(stateFile, packagesFolder), 'utf8') === describeState()
  } catch {
    return false
  }
}
