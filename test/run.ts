// `npm test`: runs all test files, or those that are given, each in a process. `node --test` would sort them by name.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { createDataTemplate } from './support/postgres.ts'

/** The files that take longest, many of which wait: they start first, so that the others fill both cores meanwhile. */
const first = [
  'src/units',
  'test/slow-clients',
  'test/hostile',
  'test/certificates',
  'test/certificates-faults',
  'test/pools',
  'test/nodes',
  'test/preview',
  'test/browser',
  'test/process',
  'test/qr-design',
  'test/stop',
  'test/process-faults',
].map((name) => `${name}.test.ts`)

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
const tests = run({
  cwd: root,
  files: files.map((file) => resolve(root, file)),
  concurrency: 6,
  execArgv: [`--require=${resolve(import.meta.dirname, 'support/untracked-promises.ts')}`],
})
tests.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1
})
tests.compose(spec).pipe(process.stdout)
