import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

/** What each file of a folder imports, types included, by their paths in the folder. */
type Imports = Map<string, string[]>

/** By a child of a folder, a file or a sub-folder, and another one: an import that leads from the first to the second. */
type Arrows = Map<string, Map<string, string>>

/** The imports of everything but tests, which nothing imports. */
function importsOf(folder: string): Imports {
  const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'))
  const importedBy = (file: string) => {
    const found = readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:from|import) ?\(?'(\.[^']+)'/g)
    return [...found].map(([, path = '']) => join(dirname(file), path))
  }
  return new Map(files.map((file) => [file, importedBy(file)]))
}

/** The arrows between the children of each folder: an import counts in the innermost folder that has both files. */
function arrowsByFolder(imports: Imports): Map<string, Arrows> {
  const folders = new Map<string, Arrows>()
  for (const [file, imported] of imports) {
    for (const other of imported) {
      const [from, to] = [file.split('/'), other.split('/')]
      const depth = from.findIndex((name, at) => name !== to[at])
      const folder = from.slice(0, depth).join('/')
      const arrows = folders.get(folder) ?? new Map<string, Map<string, string>>()
      const ofChild = arrows.get(from[depth] ?? '') ?? new Map<string, string>()
      ofChild.set(to[depth] ?? '', `${file} imports ${other}`)
      folders.set(folder, arrows.set(from[depth] ?? '', ofChild))
    }
  }
  return folders
}

/** The imports that lead from a child of a folder back to it; none when imports run down only. */
function cycleIn(arrows: Arrows): string[] {
  const done = new Set<string>()
  function cycleFrom(child: string, path: string[]): string[] {
    if (path.includes(child)) return [...path.slice(path.indexOf(child)), child]
    if (done.has(child)) return []
    for (const next of arrows.get(child)?.keys() ?? []) {
      const cycle = cycleFrom(next, [...path, child])
      if (cycle.length > 0) return cycle
    }
    done.add(child)
    return []
  }
  const cycle = [...arrows.keys()].map((child) => cycleFrom(child, [])).find(({ length }) => length > 0) ?? []
  return cycle.slice(1).map((child, at) => arrows.get(cycle[at] ?? '')?.get(child) ?? '')
}

const cyclesIn = (imports: Imports) =>
  [...arrowsByFolder(imports).values()].map(cycleIn).filter(({ length }) => length > 0)

test('imports run down inside each folder: none leads from a file or a sub-folder back to it', () => {
  const imports = importsOf(import.meta.dirname)
  assert.ok(imports.get('main.ts')?.length)
  assert.deepEqual(cyclesIn(imports), [])
})

test('a cycle between a sub-folder and a file beside it names the files of each import', () => {
  const imports = new Map([
    ['scans/open.ts', ['scans/import/visits.ts']],
    ['scans/import/visits.ts', ['scans/import/part.ts', 'lib/csv.ts']],
    ['scans/import/operator.ts', ['scans/open.ts']],
  ])
  assert.deepEqual(cyclesIn(imports), [
    ['scans/open.ts imports scans/import/visits.ts', 'scans/import/operator.ts imports scans/open.ts'],
  ])
  imports.delete('scans/import/operator.ts')
  assert.deepEqual(cyclesIn(imports), [])
})
