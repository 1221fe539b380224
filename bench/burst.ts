// Claim: a client that asks for its 300 images of an hour at once receives all of them, and another client's image beside the
// burst does not wait for them. Baseline: the same images one after the other on an open connection.
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, put, type Created } from '../test/support/server.ts'
import { median, printTable, serveQuirl, temporaryFolder, type Served } from './support.ts'
import { moveToLoadCore } from './load.ts'

const BURST = Number(process.env['BURST'] ?? 300)
const RUNS = Number(process.env['RUNS'] ?? 3)
/** Requests before the first burst, so that it does not measure the compiler. */
const WARM = 50
/** The pace of the other client. */
const PACE_MS = 20

/** The path of an image that is drawn anew, by a number. */
type PathOf = (at: number, link: Created) => string
const data = (at: number) => `data=https://example.com/${at}`
const kinds: Record<string, PathOf> = {
  'PNG, 512': (at) => `/api/qr?${data(at)}`,
  'PNG, 1024': (at) => `/api/qr?size=1024&${data(at)}`,
  'PNG, 4096': (at) => `/api/qr?size=4096&${data(at)}`,
  SVG: (at) => `/api/qr?format=svg&${data(at)}`,
  'PNG, 2,000 bytes': (at) => `/api/qr?${data(at)}${'x'.repeat(2000)}`,
  'PNG of a link': (at, { code }) => `/${code}/qr.png?size=${400 + (at % 2000)}`,
  'PNG of a design': (at, { code }) => `/${code}/qr.png?size=${400 + (at % 2000)}`,
}

const ways: Record<string, () => Agent> = {
  'a new connection each': () => new Agent({ keepAlive: false }),
  '50 open connections': () => new Agent({ keepAlive: true, maxSockets: 50 }),
  '6 open connections': () => new Agent({ keepAlive: true, maxSockets: 6 }),
}

interface Outcome {
  status: number
  ms: number
}

/** Requests an image from an address of its own, read to the end. */
function request(url: string, agent: Agent, localAddress: string): Promise<Outcome> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent, localAddress }, (response) => {
      const settle = () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - began })
      response.resume().once('end', settle).once('error', reject)
    }).once('error', reject)
  })
}

/** The images of another client, at a steady pace, until the burst is over. */
async function another({ url }: Served, first: number, isOver: () => boolean): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true })
  const outcomes: Promise<Outcome>[] = []
  for (let at = first; !isOver(); at++) {
    outcomes.push(request(`${url}/api/qr?${data(at)}`, agent, '127.0.0.3'))
    await sleep(PACE_MS)
  }
  const all = await Promise.all(outcomes)
  agent.destroy()
  return all
}

let next = 0

async function oneByOne(quirl: Served, pathOf: PathOf, link: Created, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const took: number[] = []
  for (let run = 0; run < count; run++)
    took.push((await request(quirl.url + pathOf(next++, link), agent, '127.0.0.2')).ms)
  agent.destroy()
  return took
}

async function burst(quirl: Served, pathOf: PathOf, link: Created, agent: Agent) {
  const began = performance.now()
  let isOver = false
  const beside = another(quirl, (next += BURST) + 1_000_000, () => isOver)
  const paths = Array.from({ length: BURST }, () => quirl.url + pathOf(next++, link))
  const outcomes = await Promise.all(paths.map((url) => request(url, agent, '127.0.0.2')))
  const ms = performance.now() - began
  isOver = true
  const others = await beside
  agent.destroy()
  return { outcomes, ms, others }
}

const count = (outcomes: Outcome[], status: number) => outcomes.filter((each) => each.status === status).length

async function measure(kind: string, pathOf: PathOf): Promise<Record<string, string | number>[]> {
  const quirl = await serveQuirl(temporaryFolder())
  const link = await create(quirl, { target: 'https://example.com/menu' })
  if (kind === 'PNG of a design') {
    await put(`${quirl.url}/api/manage/${link.token}`, { design: { shape: 'dots' } })
  }
  await oneByOne(quirl, pathOf, link, WARM)
  const alone = median(await oneByOne(quirl, pathOf, link, WARM))
  const rows: Record<string, string | number>[] = []
  for (const [way, createAgent] of Object.entries(ways)) {
    const runs = []
    for (let run = 0; run < RUNS; run++) {
      runs.push(await burst(quirl, pathOf, link, createAgent()))
      await sleep(200)
    }
    const worst = runs.reduce((a, b) => (count(b.outcomes, 503) > count(a.outcomes, 503) ? b : a))
    const ms = median(runs.map((each) => each.ms))
    rows.push({
      [`${BURST} images`]: kind,
      way,
      'one ms': alone.toFixed(1),
      'done (worst run)': count(worst.outcomes, 200),
      refused: runs.map(({ outcomes }) => count(outcomes, 503)).join(' '),
      'all ms': ms.toFixed(0),
      ratio: (ms / (alone * BURST)).toFixed(2),
      'other client refused': runs.map(({ others }) => count(others, 503)).join(' '),
      'other client, longest ms': Math.max(...runs.flatMap(({ others }) => others.map((each) => each.ms))).toFixed(0),
    })
  }
  await quirl.stop()
  return rows
}

moveToLoadCore()
const rows = []
for (const [kind, pathOf] of Object.entries(kinds)) {
  if (process.env['KINDS']?.split(';').includes(kind) !== false) rows.push(...(await measure(kind, pathOf)))
}
printTable(`Bursts of ${BURST} images by one client, ${RUNS} runs each`, rows)
