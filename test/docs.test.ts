import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { commands } from '../src/cli/commands.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Folders of the data folder, which documentation names without a path. */
const dataFolders = new Set(['journal/', 'lists/', 'places/', 'visitors/'])

/** The paths in backticks on a page; `<name>` and `*` stand for any name. */
function namedPaths(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, '')
  const spans = Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, span = '']) => span)
  return spans.filter((span) => /^[\w.<>*-][\w.<>*/-]*$/.test(span) && /\/|\.(?:[jt]s|json|md)$/.test(span))
}

/** Whether a path exists in the root or in src/; a file name without a folder may be in any folder of src/. */
function isThere(path: string): boolean {
  const pattern = path.replaceAll(/<\w+>/g, '*')
  const places = path.includes('/') ? [pattern, `src/${pattern}`] : [pattern, `src/**/${pattern}`]
  return dataFolders.has(path) || places.some((place) => globSync(place, { cwd: root }).length > 0)
}

/** The files that a page links to, relative to its folder, without web addresses. */
function linkedFiles(markdown: string): string[] {
  return Array.from(markdown.matchAll(/\]\(([^)#\s]+)[^)]*\)/g), ([, target = '']) => target).filter(
    (target) => !/^[a-z]+:/.test(target),
  )
}

/** A row of a table whose first cell is a folder of src/ and whose last cell lists files in it. */
const folderRow = /^\| `(\w+\/)` +\|.*\| (`[^|]*`) *\|$/gm

/** Every path on a page: relative to the root or src/ in prose, and to its folder in a row of the table of folders. */
function pathsOf(markdown: string): string[] {
  const inRows = Array.from(markdown.matchAll(folderRow), ([, folder = '', files = '']) =>
    namedPaths(files).map((file) => `src/${folder}${file}`),
  )
  return [...namedPaths(markdown.replaceAll(folderRow, '')), ...inRows.flat()]
}

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]
const read = (page: string) => readFileSync(join(root, page), 'utf8')

for (const page of ['docs/architecture.md', 'CONTRIBUTING.md']) {
  test(`every file and folder that ${page} names exists`, () => {
    const paths = pathsOf(read(page))
    assert.notEqual(paths.length, 0)
    assert.deepEqual(
      paths.filter((path) => !isThere(path)),
      [],
    )
  })
}

test('the map in docs/architecture.md names folders and files that exist, and no folder of src/ is missing', () => {
  const page = read('docs/architecture.md')
  const [map = ''] = page.match(/^```.*?^```$/ms) ?? []
  const inMap = Array.from(map.matchAll(/[\w/-]+(?:\/|\.ts)(?![\w/])/g), ([path]) => path)
  assert.deepEqual(
    inMap.filter((path) => !isThere(path)),
    [],
  )
  const named = new Set([...inMap, ...Array.from(page.matchAll(folderRow), ([, folder = '']) => folder)])
  const folders = globSync('src/*/', { cwd: root }).map((path) => `${path.split('/')[1]}/`)
  assert.deepEqual(
    folders.filter((folder) => !named.has(folder)),
    [],
  )
})

test('links between the pages lead to files that exist', () => {
  const broken = [...pages, 'CHANGELOG.md'].flatMap((page) =>
    linkedFiles(read(page))
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)
  return new Set(Array.from(headings, ([, heading = '']) => anchorOf(heading)))
}

function anchorOf(heading: string): string {
  const text = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '')
  return text.replaceAll(' ', '-')
}

test('links between the pages, and within one, lead to headings that exist', () => {
  const broken = [...pages, 'CHANGELOG.md'].flatMap((page) =>
    Array.from(read(page).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g))
      .filter(([, path, anchor = '']) => {
        const target = path ? join(dirname(page), path) : page
        return target.endsWith('.md') && !anchorsOf(read(target)).has(anchor)
      })
      .map(([link]) => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('each page that sources, texts, tests or files of deploy/ name exists, and is in the index', () => {
  const files = globSync(['{src,test,bench,build,deploy}/**/*.{ts,js,yaml,yml,service,timer}', 'deploy/*'], {
    cwd: root,
  })
  const named = files
    .filter((file) => /\.\w+$|file/.test(file))
    .flatMap((file) => Array.from(read(file).matchAll(/\bdocs\/[\w-]+\.md\b/g), ([page]) => page))
  assert.ok(named.length > 5)
  assert.deepEqual(
    named.filter((page) => !existsSync(join(root, page))),
    [],
  )
  const indexed = linkedFiles(read('docs/index.md'))
  assert.deepEqual(
    globSync('docs/*.md', { cwd: root })
      .map((page) => page.replace('docs/', ''))
      .filter((page) => page !== 'index.md' && !indexed.includes(page)),
    [],
  )
})

test('each command is on the page for owners of links or on the one for operators', () => {
  const page = ['cli', 'operator', 'mcp'].map((each) => read(`docs/${each}.md`)).join('\n')
  assert.deepEqual(
    commands.map(({ name }) => name).filter((name) => !new RegExp(`\`(?:quirl )?${name}[ \`]`).test(page)),
    [],
  )
})

test('each script that CONTRIBUTING.md runs is in package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = Array.from(read('CONTRIBUTING.md').matchAll(/npm run ([\w:]+)/g), ([, name = '']) => name)
  assert.notEqual(named.length, 0)
  assert.deepEqual(
    named.filter((name) => scripts[name] === undefined),
    [],
  )
})

test('the check finds paths that do not exist, and ignores other text in backticks', () => {
  const prose =
    'See `src/nowhere.ts`, `nowhere/`, `src/<name>/nowhere.ts`, `src/app.ts`, `GET /api`, `links.db`, `@x/y`.'
  const row = '| `links/` | links | `link.ts`, `nowhere.ts` |'
  const paths = pathsOf(`${prose}\n${row}\n`)
  const missing = ['src/nowhere.ts', 'nowhere/', 'src/<name>/nowhere.ts', 'src/links/nowhere.ts']
  assert.deepEqual(
    paths.filter((path) => !isThere(path)),
    missing,
  )
  assert.deepEqual(
    paths.filter((path) => !missing.includes(path)),
    ['src/app.ts', 'src/links/link.ts'],
  )
})
