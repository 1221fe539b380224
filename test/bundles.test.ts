import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { stylesheets } from '../src/styles/stylesheets.ts'
import { endOfFile, temporaryFolder, type Ending } from './support/cleanup.ts'
import { exitOf, start } from './support/program.ts'

const root = join(import.meta.dirname, '..')
const PATIENCE_MS = 60_000
const end = endOfFile()

/** Makes a checkout of the same sources in which `prepare` has not run. */
function copyCheckout(t: Ending, ...omitted: string[]): string {
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

/** A checkout with the bundle of its server, which is built once for all tests. */
let built: string | undefined

function buildCheckout(): string {
  const checkout = copyCheckout(end)
  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'build/server.js')], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  assert.deepEqual([status, stderr], [0, ''])
  return checkout
}

/** Such a checkout, which the test must not change. */
function bundledCheckout(): string {
  return (built ??= buildCheckout())
}

/** A copy of such a checkout, for a test that changes it. */
function copyBundled(t: TestContext): string {
  const folder = temporaryFolder(t)
  cpSync(bundledCheckout(), folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return folder
}

const preload = (script: string) => `--import=data:text/javascript,${encodeURIComponent(script)}`
const printModules = preload(
  `import { registerHooks } from 'node:module'
   registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context) } })`,
)

test('a start loads the bundle of the server, and no source file', () => {
  const { status, stderr } = run(bundledCheckout(), printModules)
  assert.equal(status, 0)
  assert.match(stderr, /\/dist\/server\/main\.js$/m)
  assert.doesNotMatch(stderr, /\/src\/|\/dist\/packages\//)
})

test('the bundle serves pages, images drawn by threads, metrics and the OpenAPI document, and backs up', async (t) => {
  const checkout = bundledCheckout()
  const program = join(checkout, 'bin/quirl.js')
  const service = await start(t, undefined, [], { file: program })
  const long = 'Short links; QR codes! '.repeat(60)
  for (const [path, content] of [
    ['/', /<form/],
    [stylesheets.site.path, /\{/],
    [`/api/qr?format=svg&data=${encodeURIComponent(long)}`, /<svg/],
    ['/metrics', /^process_resident_memory_bytes \d/m],
    ['/api/openapi.json', /"openapi":"3\.1\.0"/],
  ] as const) {
    const response = await fetch(service.url + path)
    assert.match(await response.text(), content, path)
    assert.equal(response.status, 200, path)
  }
  const framed = await fetch(`${service.url}/api/qr`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: 'framed', format: 'svg', design: { frame: { text: 'Scan me' } } }),
  })
  assert.match(await framed.text(), /<svg/)
  assert.equal(framed.status, 200)
  const copy = join(temporaryFolder(t), 'copy')
  const backup = spawnSync(process.execPath, [program, 'backup', copy, `--data-dir=${service.dataDir}`], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  assert.deepEqual([backup.stderr, backup.status], ['', 0])
  assert.ok(readdirSync(copy).includes('links.db'))
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
})

test('the bundle contains each thread that it starts', () => {
  const folder = join(bundledCheckout(), 'dist/server')
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'))
  const threads = new Set(texts.flatMap((text) => text.match(/(?<="\.\/)[\w-]+-thread(?=\.ts")/g) ?? []))
  assert.ok(threads.size > 0)
  for (const thread of threads) assert.ok(files.includes(`${thread}.js`), thread)
})

test('a start runs changed sources instead of an older bundle, whatever their modification time', (t) => {
  const checkout = copyBundled(t)
  const source = join(checkout, 'src/main.ts')
  const { atime, mtime } = statSync(source)
  writeFileSync(source, `process.stderr.write('changed\\n')\n${readFileSync(source, 'utf8')}`)
  utimesSync(source, atime, mtime)
  run(checkout)
  assert.deepEqual(pick(run(checkout)), [run(root).stdout, 'changed\n', 0])
})

test('a start runs updated packages instead of an older bundle', (t) => {
  const checkout = copyBundled(t)
  const state = join(checkout, 'dist/server/made-of.json')
  writeFileSync(state, readFileSync(state, 'utf8').replace(/(?<=\/fastify": )"[^"]+"/, '"0.0.1"'))
  const { status, stderr } = run(checkout, printModules)
  assert.equal(status, 0)
  assert.match(stderr, /\/src\/main\.ts$/m)
})

test('the licences of the packages in the server bundle stand beside it', () => {
  const folder = join(bundledCheckout(), 'dist/server')
  const licences = readFileSync(join(folder, 'LICENSES'), 'utf8')
  const { packages } = JSON.parse(readFileSync(join(folder, 'made-of.json'), 'utf8')) as { packages: object }
  const names = Object.keys(packages).map((path) => path.split('node_modules/').at(-1) ?? '')
  assert.ok(names.includes('fastify') && names.includes('typebox'))
  for (const name of names) assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+`, 'm'))
})

test('a start builds the bundles where prepare has not run, or packages were updated since', (t) => {
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

test('without esbuild the packages are loaded unbundled', (t) => {
  const checkout = copyCheckout(t, 'esbuild')
  const slower = 'quirl: esbuild is not installed, so quirl starts more slowly; everything works\n'
  assert.deepEqual(pick(run(checkout)), [run(root).stdout, slower, 0])
  assert.equal(readFileSync(join(checkout, 'dist/packages/kysely.js'), 'utf8'), "export * from 'kysely'\n")
  assert.deepEqual(pick(run(checkout)), [run(root).stdout, '', 0])
})

test('a start that cannot write the bundles prints one line that says what to do', (t) => {
  const checkout = copyCheckout(t)
  writeFileSync(join(checkout, 'dist'), '')
  const { status, stderr } = run(checkout)
  assert.equal(status, 1)
  assert.match(stderr, /^quirl: run "npm run prepare", as the user who ran "npm ci": .*\n$/)
})

test('the licences of the bundled packages stand beside the bundles', () => {
  const licences = readFileSync(join(root, 'dist/packages/LICENSES'), 'utf8')
  for (const name of ['typebox', 'kysely']) assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'))
  assert.equal(licences.match(/Permission is hereby granted/g)?.length, 2)
})

const pick = ({ stdout, stderr, status }: ReturnType<typeof run>) => [stdout, stderr, status]
