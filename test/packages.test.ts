import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'

const root = join(import.meta.dirname, '..')
const PATIENCE_MS = 60_000

/** A checkout of the same sources in which `prepare` has not run. */
function copyCheckout(t: TestContext, ...omitted: string[]): string {
  const folder = temporaryFolder(t)
  for (const name of ['bin', 'build', 'src', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!omitted.includes(name)) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

function run(checkout: string, ...flags: string[]) {
  return spawnSync(process.execPath, [...flags, join(checkout, 'bin/quirl.js'), '--version'], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
}

test('a start loads no module of TypeBox or Kysely, but their bundles', () => {
  const preload = `import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context) } })`
  const { status, stderr } = run(root, `--import=data:text/javascript,${encodeURIComponent(preload)}`)
  assert.equal(status, 0)
  assert.match(stderr, /\/dist\/packages\/typebox\.js$/m)
  assert.doesNotMatch(stderr, /\/node_modules\/(?:typebox|kysely)\//)
})

test('a checkout in which prepare has not run, or whose packages were updated since, makes the bundles at its start', (t) => {
  const checkout = copyCheckout(t)
  const bundle = join(checkout, 'dist/packages/kysely.js')
  const version = run(root).stdout
  assert.deepEqual(pick(run(checkout)), [version, '', 0])
  const made = readFileSync(bundle, 'utf8')

  const state = join(checkout, 'dist/packages/made-of.json')
  writeFileSync(bundle, made.replace('class ', 'class OfAnOlderVersion {}\nclass '))
  writeFileSync(state, readFileSync(state, 'utf8').replace(/"\d+\.\d+\.\d+"/, '"0.0.1"'))
  assert.deepEqual(pick(run(checkout)), [version, '', 0])
  assert.equal(readFileSync(bundle, 'utf8'), made)
})

test('without esbuild the packages are loaded as they are', (t) => {
  const checkout = copyCheckout(t, 'esbuild')
  const slower = 'quirl: esbuild is not installed, so that quirl starts more slowly; everything works\n'
  assert.deepEqual(pick(run(checkout)), [run(root).stdout, slower, 0])
  assert.equal(readFileSync(join(checkout, 'dist/packages/kysely.js'), 'utf8'), "export * from 'kysely'\n")
  assert.deepEqual(pick(run(checkout)), [run(root).stdout, '', 0])
})

test('a start that cannot write the bundles says in one line what to do', (t) => {
  const checkout = copyCheckout(t)
  writeFileSync(join(checkout, 'dist'), '')
  const { status, stderr } = run(checkout)
  assert.equal(status, 1)
  assert.match(stderr, /^quirl: run "npm run prepare", as the user who ran "npm ci": .*\n$/)
})

test('the licences of what is bundled stand beside it', () => {
  const licences = readFileSync(join(root, 'dist/packages/LICENSES'), 'utf8')
  for (const name of ['typebox', 'kysely']) assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'))
  assert.equal(licences.match(/Permission is hereby granted/g)?.length, 2)
})

const pick = ({ stdout, stderr, status }: ReturnType<typeof run>) => [stdout, stderr, status]
