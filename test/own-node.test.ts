import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'

const root = join(import.meta.dirname, '..')
const isOld = `--import=data:text/javascript,${encodeURIComponent("Object.defineProperty(process.versions, 'node', { value: '20.20.2' })")}`

/** The programs of a checkout in a folder of its own, where npm has installed that script as its Node. */
function checkout(t: TestContext, installedNode?: string): string {
  const folder = temporaryFolder(t)
  for (const name of ['bin', 'build', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  if (installedNode === undefined) return folder
  const installed = join(folder, `node_modules/node-${process.platform}-${process.arch}`)
  mkdirSync(join(installed, 'bin'), { recursive: true })
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ version: '26.0.0', bin: { node: 'bin/node' } }))
  writeFileSync(join(installed, 'bin/node'), installedNode)
  chmodSync(join(installed, 'bin/node'), 0o755)
  return folder
}

/** What an old Node does with a program of the checkout. */
function runOld(folder: string, program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [isOld, join(folder, program), ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const starts = '[ "$1" = --version ] && exit 0\n'

test('on an old Node, each program hands over to the Node that npm has installed, whether or not npm has linked it', (t) => {
  const folder = checkout(t, `#!/bin/sh\n${starts}echo "installed: $*"\nexit 7\n`)
  const quirl = join(folder, 'bin/quirl.js')
  assert.deepEqual(runOld(folder, 'bin/quirl.js', 'shorten', 'two words'), {
    status: 7,
    stdout: `installed: ${isOld} ${quirl} shorten two words\n`,
    stderr: '',
  })
  assert.equal(runOld(folder, 'build/node.js', '--test', 'a.ts').stdout, 'installed: --test a.ts\n')
  assert.equal(runOld(folder, 'build/prepare.js').stdout, `installed: ${join(folder, 'build/prepare.js')}\n`)
  assert.deepEqual(runOld(folder, 'bin/print-node.js'), {
    status: 0,
    stdout: `${join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)}\n`,
    stderr: '',
  })
})

test('a Node that is new enough is used, whatever npm has installed', (t) => {
  const folder = checkout(t, '#!/bin/sh\nexit 9\n')
  const { stdout } = spawnSync(process.execPath, [join(folder, 'bin/print-node.js')], { encoding: 'utf8' })
  assert.equal(stdout, `${process.execPath}\n`)
})

test('a signal reaches the program on the installed Node, and how it ends is how the first process ends', async (t) => {
  const folder = checkout(
    t,
    `#!/bin/sh\n${starts}trap 'echo stopped; exit 5' TERM\necho runs\nwhile :; do sleep 0.05; done\n`,
  )
  const first = spawn(process.execPath, [isOld, join(folder, 'bin/quirl.js')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(first, 'exit')
  let output = ''
  for await (const data of first.stdout) {
    output += String(data)
    if (output === 'runs\n') first.kill('SIGTERM')
  }
  assert.equal(output, 'runs\nstopped\n')
  assert.deepEqual(await exited, [5, null])
})

test('on an old Node alone, each program prints one line that says what to install', (t) => {
  const folder = checkout(t)
  for (const program of ['bin/quirl.js', 'bin/print-node.js', 'build/node.js', 'build/prepare.js']) {
    const { status, stdout, stderr } = runOld(folder, program)
    assert.deepEqual([status, stdout], [1, ''], program)
    assert.match(stderr, /^quirl needs Node 24\.12 or newer, this is 20\.20\.2; install it .*\n$/, program)
  }
})

test('an installed Node that cannot run here is said with its reason, in one line', (t) => {
  const folder = checkout(t, '#!/bin/sh\necho "libatomic.so.1: cannot open shared object file" >&2\nexit 127\n')
  const { status, stderr } = runOld(folder, 'bin/quirl.js')
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^quirl needs Node 24\.12 .* does not run here: libatomic\.so\.1: cannot open shared object file\n$/,
  )
})
