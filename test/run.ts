// `npm test`: runs all test files, or those that are given, each in a process. `node --test` would sort them by name.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { createDataTemplate } from './support/postgres.ts'

/**
 * The files that take longest, by their CPU time and by what they wait: they start first, those that wait among those that do
 * not, so that both cores are busy until the end.
 */
const first = [
  'src/units.test.ts',
  'test/groups/api.ts',
  'test/groups/site.ts',
  'test/slow-clients.test.ts',
  'test/groups/changes.ts',
  'test/groups/domains.ts',
  'test/hostile.test.ts',
  'test/groups/recording.ts',
  'test/certificates.test.ts',
  'test/preview.test.ts',
  'test/groups/designs.ts',
  'test/certificates-faults.test.ts',
  'test/groups/owners.ts',
  'test/groups/collection-pages.ts',
  'test/groups/programs.ts',
  'test/browser.test.ts',
  'test/groups/postgres.ts',
  'test/groups/decoders.ts',
  'test/groups/commands.ts',
  'test/groups/two-nodes.ts',
  'test/pools.test.ts',
  'test/process.test.ts',
  'test/stop.test.ts',
  'test/process-faults.test.ts',
]

const root = resolve(import.meta.dirname, '..')
const given = process.argv.slice(2)
if (!existsSync(resolve(root, 'dist/client'))) {
  console.error('quirl: dist/ is not built, as after "npm ci --ignore-scripts"; "npm run prepare" builds it')
  process.exit(1)
}
/** Each imports several files, which run in its process: loading the service takes longer than many of their tests. */
const groups = globSync('test/groups/*.ts', { cwd: root }).toSorted()
const grouped = new Set(
  groups.flatMap((group) =>
    Array.from(
      readFileSync(resolve(root, group), 'utf8').matchAll(/^import '\.\.\/(.+)'$/gm),
      ([, name]) => `test/${name}`,
    ),
  ),
)
const alone = globSync('test/*.test.ts', { cwd: root }).filter((file) => !grouped.has(file))
const files = given.length > 0 ? given : [...new Set([...first, ...groups, ...alone.toSorted()])]

if (given.length === 0) createDataTemplate()
// JavaScript without types, as bin/quirl.js runs it.
const state = new URL('../build/server-state.js', import.meta.url).href
const { isCurrent } = (await import(state)) as { isCurrent: () => boolean }
const preloaded = ['untracked-promises.ts', ...(isCurrent() ? ['bundled-threads.ts'] : [])]
const tests = run({
  cwd: root,
  files: files.map((file) => resolve(root, file)),
  concurrency: 6,
  execArgv: preloaded.map((name) => `--require=${resolve(import.meta.dirname, 'support', name)}`),
})
tests.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1
})
tests.compose(spec).pipe(process.stdout)
