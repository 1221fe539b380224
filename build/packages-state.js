// Describes the inputs of dist/packages. In JavaScript, because bin/quirl.js compares them at each start of a checkout.
import { readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
export const packagesFolder = new URL('dist/packages/', root)
export const stateFile = 'made-of.json'

/** The subpath imports of package.json: each name, the package's module, and the bundled file. */
export function listImports() {
  const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  return Object.entries(imports).map(([name, { types, default: path }]) => ({
    name,
    module: types,
    file: path.split('/').at(-1),
  }))
}

/** The packages of these modules. */
export function listPackages() {
  return [...new Set(listImports().map(({ module }) => module.split('/')[0]))].map((name) => {
    const folder = new URL(`node_modules/${name}/`, root)
    return { name, folder, version: JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).version }
  })
}

/** A text that changes when a package is updated or the imports change. */
export function describeState() {
  const packages = listPackages().map(({ name, version }) => [name, version])
  return `${JSON.stringify({ packages, imports: listImports() }, undefined, 2)}\n`
}

/** Whether dist/packages was built from the installed packages: `npm update` and `npm install <name>` do not run `prepare`. */
export function isCurrent() {
  try {
    return readFileSync(new URL(stateFile, packagesFolder), 'utf8') === describeState()
  } catch {
    return false
  }
}
