import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './poll.ts'

export const CONNECTIONS = 1000
/** What the attacker and the service each need: their connections, and some more. */
export const OPEN_FILES = CONNECTIONS + 100

const perSecond = 500
const common = [`-c${CONNECTIONS}`, `-r${perSecond}`, '-p5', '-l60']

/**
 * What slowhttptest(1) does, by what it is; it asks the same address now and then whether it is still answered. Who sends
 * slowly is cut off by the service, who reads slowly goes by itself after some seconds.
 */
export const attacks: Record<string, (url: string) => string[]> = {
  'slow headers': (url) => ['-H', ...common, '-i1', '-x24', '-u', `${url}/healthz`],
  'slow bodies': (url) => [
    '-B',
    ...common,
    '-i1',
    '-s8192',
    '-x10',
    '-f',
    'application/json',
    '-u',
    `${url}/api/links`,
  ],
  'slow reads of a page': (url) => slowReads(`${url}/`),
  'slow reads of a document': (url) => slowReads(`${url}/api/openapi.json`),
}

/** Three answers on each connection, of which it reads 32 bytes in five seconds. */
function slowReads(url: string): string[] {
  return ['-X', ...common, '-l8', '-w512', '-y1024', '-n5', '-z32', '-k3', '-u', url]
}

/** Runs the attacker until it has nothing left to do; tells what it said. */
export function attack(args: string[], program = ['slowhttptest']): Promise<string> {
  const [file = '', ...before] = program
  const child = spawn(file, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(said))
  })
}

/**
 * Visits a link, each time on a connection of its own, until something has ended; the milliseconds of each.
 * @param pauseMs between two visits
 */
export async function visitUntil(
  url: string,
  ended: Promise<unknown>,
  { after = () => {}, pauseMs = 2 }: { after?: () => void; pauseMs?: number } = {},
): Promise<number[]> {
  const took: number[] = []
  const over = ended.then(() => true)
  do {
    const began = performance.now()
    const status = await visitOnce(url)
    if (status !== 302) throw new Error(`visit ${took.length} was answered ${status}`)
    took.push(performance.now() - began)
    after()
  } while (!(await Promise.race([over, sleep(pauseMs, false)])))
  return took
}

function visitOnce(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, timeout: PATIENCE_MS }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    asking.once('timeout', () => asking.destroy(new Error('the visit was not answered')))
    asking.once('error', reject)
    asking.end()
  })
}

/** The files that a process has open now, sockets among them: counting them costs little, telling them apart much. */
export function openFiles(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** The sockets that a process holds now. */
export function openSockets(pid: number | undefined): number {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

/** Files that this process, and what it starts, may have open. */
export function openFilesLimit(): number {
  return Number(
    /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.MAX_SAFE_INTEGER,
  )
}
