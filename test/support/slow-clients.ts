import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './poll.ts'

/**
 * Attacks of slowhttptest(1) and their arguments; it also probes the same address now and then. The service disconnects
 * clients that send slowly; clients that read slowly end by themselves after some seconds.
 */
export function attacksOf(connections: number): Record<string, (url: string) => string[]> {
  const common = [`-c${connections}`, `-r${connections / 2}`, '-p5', '-l60']
  const json = ['-f', 'application/json']
  // Requests three responses on each connection, and reads 32 bytes of them in five seconds.
  const slowReads = ['-X', ...common, '-l8', '-w512', '-y1024', '-n5', '-z32', '-k3']
  return {
    'slow headers': (url) => ['-H', ...common, '-i1', '-x24', '-u', `${url}/healthz`],
    'slow bodies': (url) => ['-B', ...common, '-i1', '-s8192', '-x10', ...json, '-u', `${url}/api/links`],
    'slow reads of a page': (url) => [...slowReads, '-u', `${url}/`],
    'slow reads of a document': (url) => [...slowReads, '-u', `${url}/api/openapi.json`],
  }
}

/** Runs the attacker until it ends, and returns its output. */
export function attack(args: string[], program = ['slowhttptest']): Promise<string> {
  const [file = '', ...before] = program
  const child = spawn(file, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}

/**
 * Visits a link, each time on a new connection, until `ended` resolves, and returns the milliseconds of each visit.
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
    if (status !== 302) throw new Error(`visit ${took.length} returned ${status}`)
    took.push(performance.now() - began)
    after()
  } while (!(await Promise.race([over, sleep(pauseMs, false)])))
  return took
}

function visitOnce(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, timeout: PATIENCE_MS }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('timeout', () => sent.destroy(new Error('the visit timed out')))
    sent.once('error', reject)
    sent.end()
  })
}

/** The number of open files of a process, sockets included: counting is cheap, distinguishing them is not. */
export function openFiles(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** The number of open sockets of a process. */
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

/** The limit of open files of this process and its children. */
export function openFilesLimit(): number {
  return Number(
    /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.MAX_SAFE_INTEGER,
  )
}
