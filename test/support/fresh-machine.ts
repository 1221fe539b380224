import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { poll } from './poll.ts'

const root = join(import.meta.dirname, '../..')

/** Of Debian and most systems: it owns nothing. */
const NOBODY = 65534

/** The environment of a stranger's shell: the Node in PATH, and nothing of the npm that runs this test. */
export function strangersEnvironment(): Record<string, string> {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const own = Object.entries(process.env).filter(([name, value]) => !/^npm_|^NODE_/.test(name) && value !== undefined)
  return { ...(Object.fromEntries(own) as Record<string, string>), PATH: path.join(delimiter) }
}

/** A machine on which nothing of quirl was ever installed. */
export interface FreshMachine {
  /** The checkout, in a path with a blank and letters that are not ASCII. */
  checkout: string
  /** Runs a program to its end in the checkout; other machines run meanwhile. */
  run: (program: string, ...args: string[]) => Promise<{ status: number | null; output: string }>
  /** Runs `npm start` until it prints its address. */
  start: () => Promise<{ url: string; output: () => string; stop: () => Promise<void> }>
}

export interface FreshMachineOptions {
  /** Versions of Node and npm that npm delivers. */
  node: string
  npm: string
  /** Who owns the checkout and runs it; `user` needs root, who may become another. */
  as: 'root' | 'user'
  /** Where downloads are kept for further machines. */
  cache: string
}

/** A machine with that Node and npm, and a checkout of these sources as they stand. */
export function freshMachine(t: Ending, { node, npm, as, cache }: FreshMachineOptions): FreshMachine {
  const folder = temporaryFolder(t)
  const home = join(folder, 'home')
  const checkout = join(folder, 'kleine Läden 店', 'quirl')
  copyCheckout(checkout)
  mkdirSync(home)
  writeFileSync(join(home, '.npmrc'), npmrc())
  const bin = installNode(join(folder, 'bin'), { node, npm, cache })
  const env = { ...strangersEnvironment(), HOME: home, TMPDIR: folder, PATH: `${bin}:/usr/bin:/bin` }
  const isOther = as === 'user' && process.getuid?.() === 0
  if (isOther) own(folder)
  const options: SpawnOptions = { cwd: checkout, env, ...(isOther && { uid: NOBODY, gid: NOBODY }) }
  return {
    checkout,
    run: (program, ...args) => runToEnd(program, args, options),
    start: () => startService(t, options),
  }
}

async function runToEnd(program: string, args: string[], options: SpawnOptions) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended
  return { status: child.exitCode, output: `${stdout}${stderr}` }
}

async function startService(t: Ending, options: SpawnOptions) {
  const env = { ...options.env, PORT: '0', HOST: '127.0.0.1' }
  const npm = spawn('npm', ['start'], { ...options, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const stop = () => end(npm)
  undoLater(t, stop)
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', (data) => (output += String(data)))
  await poll(() => output.includes(' serves ') || npm.exitCode !== null)
  const port = /http:\/\/\S+?:(\d+)/.exec(output)?.[1]
  if (port === undefined) throw new Error(output)
  return { url: `http://127.0.0.1:${port}`, output: () => output, stop }
}

/** As Ctrl+C in a terminal does: the signal goes to npm and all that it runs. */
async function end(npm: ChildProcess): Promise<void> {
  if (npm.exitCode !== null || npm.signalCode !== null || npm.pid === undefined) return
  const exited = once(npm, 'exit')
  process.kill(-npm.pid, 'SIGINT')
  await exited
}

/** What a clone has, with changes that are not committed yet. */
function copyCheckout(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\0')
  for (const file of listed.toString().split('\0')) {
    if (file === '' || deleted.includes(file)) continue
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(join(root, file), join(to, file))
  }
}

/** Where packages come from on this machine, and nothing else of its settings. */
function npmrc(): string {
  const settings = ['registry', 'cafile'].map((name) => {
    const value = execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', env: strangersEnvironment() }).trim()
    return value === 'null' ? '' : `${name}=${value}\n`
  })
  return `${settings.join('')}audit=false\nfund=false\nupdate-notifier=false\n`
}

/** A folder with the programs `node`, `npm` and `npx` of these versions. */
function installNode(bin: string, { node, npm, cache }: Pick<FreshMachineOptions, 'node' | 'npm' | 'cache'>): string {
  const programs = {
    node: join(unpack(`node-${process.platform}-${process.arch}`, node, cache), 'bin/node'),
    npm: join(unpack('npm', npm, cache), 'bin/npm-cli.js'),
    npx: join(unpack('npm', npm, cache), 'bin/npx-cli.js'),
  }
  mkdirSync(bin)
  for (const [name, file] of Object.entries(programs)) symlinkSync(file, join(bin, name))
  return bin
}

/** The folder of a package of npm, downloaded at its first use. */
function unpack(name: string, version: string, cache: string): string {
  const folder = join(cache, `${name}-${version}`)
  try {
    readFileSync(join(folder, 'package/package.json'))
  } catch {
    mkdirSync(folder, { recursive: true })
    const env = strangersEnvironment()
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, env, stdio: 'pipe' })
    const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? ''
    execFileSync('tar', ['-xzf', tarball], { cwd: folder })
  }
  return join(folder, 'package')
}

function own(folder: string): void {
  chownSync(folder, NOBODY, NOBODY)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), NOBODY, NOBODY)
}
