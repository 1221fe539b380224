// How long a start takes, compared with Node's own: `node bench/start.ts`, or for alternating checkouts `node bench/start.ts . ../before`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { median, printTable, startFlags, startVariables, temporaryFolder } from './support.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const TICKS_A_SECOND = 100

interface Start {
  wall: number
  cpu: number
}

/** A script that a process runs before its program. */
const preload = (script: string) => `--import=data:text/javascript,${encodeURIComponent(script)}`

const reportCpu = preload(
  `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('cpu ' + (user + system) + '\\n') })`,
)
const countModules = preload(
  `import { registerHooks } from 'node:module'
   let modules = 0
   registerHooks({ load: (url, context, next) => { if (!url.startsWith('node:')) modules++; return next(url, context) } })
   process.on('exit', () => process.stderr.write('modules ' + modules + '\\n'))`,
)

function run(args: string[], cache: string) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...startVariables, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += String(data)))
  return { child, printed: (name: RegExp) => Number(name.exec(printed)?.[1]), ended: once(child, 'close') }
}

/** Starts a process that ends by itself. */
async function startAndEnd(args: string[], cache: string): Promise<Start> {
  const before = performance.now()
  const { ended, printed } = run([reportCpu, ...args], cache)
  await ended
  return { wall: performance.now() - before, cpu: printed(/cpu (\d+)/) / 1000 }
}

/** Starts a server, and stops it after its first response. */
async function startAndRespond(checkout: string, cache: string, dataDir: string): Promise<Start> {
  const before = performance.now()
  const { child, ended, printed } = run([...serverArgs(checkout), `--data-dir=${dataDir}`], cache)
  const port = await waitForPort(child, printed)
  await (await fetch(`http://127.0.0.1:${port}/`)).text()
  const wall = performance.now() - before
  // Fields 14 and 15 (two fields precede the name's closing bracket): user and system time of all threads.
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  child.kill('SIGTERM')
  await ended
  return { wall, cpu: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND }
}

const serverArgs = (checkout: string) => [...startFlags, `${checkout}/bin/quirl.js`, '--port=0', '--host=127.0.0.1']

async function waitForPort(child: ReturnType<typeof spawn>, printed: (name: RegExp) => number): Promise<number> {
  for (;;) {
    const port = printed(/http:\/\/localhost:(\d+)/)
    if (port > 0) return port
    if (child.exitCode !== null) throw new Error(`quirl ended with ${child.exitCode}`)
    if (child.stdout) await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  }
}

async function modulesOf(checkout: string): Promise<number> {
  const { child, ended, printed } = run(
    [countModules, ...serverArgs(checkout), `--data-dir=${temporaryFolder()}`],
    temporaryFolder(),
  )
  await fetch(`http://127.0.0.1:${await waitForPort(child, printed)}/`)
  child.kill('SIGTERM')
  await ended
  return printed(/modules (\d+)/)
}

const checkouts = process.argv.slice(2).map((path) => resolve(path))
if (checkouts.length === 0) checkouts.push(resolve(import.meta.dirname, '..'))
const starts = new Map<string, Start[]>()
const add = (name: string, start: Start) => starts.set(name, [...(starts.get(name) ?? []), start])

for (let round = 0; round < ROUNDS; round++) {
  add('node -e 0', await startAndEnd(['-e', '0'], temporaryFolder()))
  for (const checkout of checkouts) {
    const name = basename(checkout)
    const [cache, versionCache, dataDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    for (const start of ['first', 'next']) {
      add(`${name} --version, ${start}`, await startAndEnd([`${checkout}/bin/quirl.js`, '--version'], versionCache))
      add(`${name} serve, ${start}`, await startAndRespond(checkout, cache, dataDir))
    }
  }
}

const middle = (name: string, of: keyof Start) => median((starts.get(name) ?? []).map((start) => start[of]))
printTable(
  `Starts, medians of ${ROUNDS}; "serve" until the first response; "first" with an empty compile cache and no data`,
  [...starts.keys()].toSorted().map((name) => ({
    start: name,
    'wall ms': Math.round(middle(name, 'wall')),
    'over node': (middle(name, 'wall') / middle('node -e 0', 'wall')).toFixed(1),
    'CPU ms': Math.round(middle(name, 'cpu')),
    'CPU over node': (middle(name, 'cpu') / middle('node -e 0', 'cpu')).toFixed(1),
  })),
)
for (const checkout of checkouts)
  console.log(`\n${basename(checkout)}: ${await modulesOf(checkout)} modules in the main thread`)
