// The first five minutes of a newcomer, on a machine with a Node and an npm that quirl did not choose. `npm run test:fresh`
// walks all of them; the gate walks one (`MACHINES=20/10/user`). With `TESTS=all`, each machine runs all tests; `TESTS` may also
// name files, with commas.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { endOfFile, temporaryFolder } from '../support/cleanup.ts'
import { freshMachine, type FreshMachine } from '../support/fresh-machine.ts'
import { isOpen } from '../support/ports.ts'
import { requireProgram } from '../support/programs.ts'

const NODES: Record<string, string> = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }
const NPMS: Record<string, string> = { 9: '9.9.4', 10: '10.9.9', 11: '11.21.2', 12: '12.2.0' }
/** The oldest Node on which an npm runs. */
const OLDEST: Record<string, number> = { 12: 22 }

const every = Object.keys(NODES).flatMap((node) =>
  Object.keys(NPMS)
    .filter((npm) => Number(node) >= (OLDEST[npm] ?? 0))
    .flatMap((npm) => ['root', 'user'].map((as) => `${node}/${npm}/${as}`)),
)
const machines = process.env['MACHINES']?.split(',') ?? every
const tests = process.env['TESTS'] ?? 'test/first-try.test.ts,test/bundles.test.ts'
const cache = join(tmpdir(), 'quirl-fresh-machines')
mkdirSync(cache, { recursive: true })
// The user of a machine reads the programs in it.
chmodSync(cache, 0o755)
endOfFile().after(() => rmSync(cache, { recursive: true, force: true }))

const optionsOf = (machine: string) => {
  const [node = '', npm = '', as] = machine.split('/')
  const [nodeVersion, npmVersion] = [NODES[node], NPMS[npm]]
  assert.ok(nodeVersion !== undefined && npmVersion !== undefined && (as === 'root' || as === 'user'), machine)
  return { node: nodeVersion, npm: npmVersion, as, cache } as const
}

// Each mostly waits: for downloads, and for one process after the other.
suite('on a fresh machine', { concurrency: 3 }, () => {
  for (const machine of machines) {
    test(`Node/npm/owner ${machine}: two commands serve, without a warning, and the tests pass`, async (t) => {
      const fresh = freshMachine(t, optionsOf(machine))
      const installed = await fresh.run('npm', 'ci')
      assert.equal(installed.status, 0, installed.output)
      assert.doesNotMatch(installed.output, /warn|err!|quirl:/i)
      await walkFirstMinutes(fresh)
      const version = await fresh.run('npx', 'quirl', '--version')
      // npm 12 also prints what it runs.
      assert.match(version.output, /^\d+\.\d+\.\d+$/m)
      const tested = await fresh.run('npm', 'test', ...(tests === 'all' ? [] : ['--', ...tests.split(',')]))
      assert.equal(tested.status, 0, tested.output)
      const [, passed = '0'] = /^ℹ pass (\d+)$/m.exec(tested.output) ?? []
      assert.ok(Number(passed) > 0, tested.output)
      t.diagnostic(`${passed} tests passed`)
    })
  }

  test('without its scripts, npm ci leaves a service that says what is missing', async (t) => {
    const fresh = freshMachine(t, optionsOf(machines[0] ?? ''))
    assert.equal((await fresh.run('npm', 'ci', '--ignore-scripts')).status, 0)
    const tested = await fresh.run('npm', 'test')
    assert.notEqual(tested.status, 0)
    assert.match(
      tested.output,
      /^quirl: dist\/ is not built, as after "npm ci --ignore-scripts"; "npm run prepare" builds it$/m,
    )
    const service = await fresh.start()
    assert.match(service.output(), /pages have no scripts, .*; \\"npm run prepare\\" builds it/)
    await service.stop()
  })

  test('on a Node that is too old and without another, npm ci says in one line what to install', async (t) => {
    const fresh = freshMachine(t, { ...optionsOf('20/10/root') })
    const { status, output } = await fresh.run('npm', 'ci', '--omit=optional')
    assert.notEqual(status, 0)
    assert.match(
      output,
      /quirl needs Node 24\.12 or newer, this is 20\.20\.2; install it \(https:\/\/nodejs\.org\), .*$/m,
    )
  })
})

/** A service, a link, its image, and a visit that counts. */
async function walkFirstMinutes({ start }: FreshMachine): Promise<void> {
  const service = await start()
  assert.doesNotMatch(service.output(), /"level":|warn/i)
  const created = curl(`${service.url}/api/links`, '-d', '{"target":"https://example.com/menu"}')
  const { short_url, qr_png, token } = JSON.parse(created) as Record<string, string>
  assert.ok(short_url !== undefined && qr_png !== undefined)
  assert.equal(curl('-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', short_url), '302 https://example.com/menu')
  const { totals } = JSON.parse(curl(`${service.url}/api/manage/${token}`)) as { totals: { scans: number } }
  assert.equal(totals.scans, 1)
  await test('the image of the link is read by a scanner', (t) => {
    if (!requireProgram(t, 'zbarimg', 'zbar-tools')) return
    const png = join(temporaryFolder(t), 'code.png')
    curl('-o', png, qr_png)
    assert.equal(execFileSync('zbarimg', ['--quiet', '--raw', png], { encoding: 'utf8' }), `${short_url}?qr=1\n`)
  })
  await service.stop()
  assert.equal(await isOpen(Number(new URL(service.url).port)), false)
}

function curl(...args: string[]): string {
  return execFileSync('curl', ['-sS', '-H', 'Content-Type: application/json', ...args], { encoding: 'utf8' })
}
