// Mixed load on a running service, which knows what each response must be.
import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, type RawAnswer } from '../support/http.ts'
import { oneOf, type Random } from '../support/random.ts'
import { watchStalls } from './stalls.ts'

/** A link of the soak. */
export interface SoakLink {
  code: string
  token: string
  target: string
  /** Visits that were answered with a redirect. */
  answered: number
  /** All that were sent: others than the answered ones may be counted or not. */
  sent: number
}

/** What was sent, by kind. */
export interface Tally {
  done: number
  /** 503 with `Retry-After`: what a queue refuses when the machine is slow. */
  refused: number
  /** The machine stood still: the connection timed out meanwhile. */
  interrupted: number
}

/** The links of the load: `hot` ones are always in the cache; of `cold` ones a visit rarely finds one there. */
export interface SoakLinks {
  hot: SoakLink[]
  cold: SoakLink[]
}

interface Lane {
  /** How many send requests of this kind at the same time, one after the other. */
  lanes: number
  /** The pause after each, in milliseconds. */
  paceMs: number
  /** Sends one request, and checks the response; resolves with false when it was refused. */
  send: () => Promise<boolean>
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'
const BULK_ROWS = 50
const IMAGE_TYPES = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' }

/**
 * Sends requests until `over`, which it aborts at the first response that is not the intended one.
 * @returns the tallies by kind; rejects with that response
 */
export async function runLoad(
  url: string,
  links: SoakLinks,
  random: Random,
  over: AbortController,
): Promise<Record<string, Tally>> {
  const agent = new Agent({ keepAlive: true })
  const kinds = createKinds({ url, agent, links, random })
  const tallies = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { done: 0, refused: 0, interrupted: 0 }]))
  const stalls = watchStalls()
  const sendOne = async (tally: Tally, send: Lane['send']) => {
    const began = performance.now()
    try {
      if (await send()) tally.done++
      else tally.refused++
    } catch (error) {
      if (!isCut(error) || !(await stalls.since(began))) throw error
      tally.interrupted++
    }
  }
  const run = async (kind: string, { paceMs, send }: Lane) => {
    const tally = tallies[kind] ?? assert.fail()
    try {
      for (; !over.signal.aborted; await sleep(paceMs)) await sendOne(tally, send)
    } catch (error) {
      over.abort()
      throw new Error(`${kind}: ${String(error)}`, { cause: error })
    }
  }
  try {
    await Promise.all(
      Object.entries(kinds).flatMap(([kind, lane]) => Array.from({ length: lane.lanes }, () => run(kind, lane))),
    )
  } finally {
    agent.destroy()
    stalls.stop()
  }
  return tallies
}

const isCut = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

interface Needs {
  url: string
  agent: Agent
  links: SoakLinks
  random: Random
}

function createKinds({ url, agent, links: { hot, cold }, random }: Needs): Record<string, Lane> {
  const own: SoakLink[] = []
  let count = 0
  const sendOnce = (method: string, path: string, body?: object) =>
    ask(url + path, {
      method,
      agent,
      headers: { 'user-agent': BROWSER, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  // The service closes connections that were idle for ten seconds, as all are when the machine stands still.
  const send: typeof sendOnce = (...request) =>
    sendOnce(...request).catch((error: NodeJS.ErrnoException & { reusedSocket?: boolean }) => {
      if (error.code === 'ECONNRESET' && error.reusedSocket === true) return sendOnce(...request)
      throw error
    })
  const expect = async (sent: Promise<RawAnswer>, status: number, check: (answer: RawAnswer) => void = () => {}) => {
    const answer = await sent
    if (answer.status === 503 && answer.headers['retry-after'] !== undefined) return false
    assert.equal(answer.status, status, answer.body.slice(0, 500))
    check(answer)
    return true
  }
  // A visit is never refused.
  const visit = async (link: SoakLink) => {
    link.sent++
    const answer = await send('GET', `/${link.code}`)
    assert.deepEqual([answer.status, answer.headers.location], [302, link.target])
    link.answered++
    return true
  }
  const newTarget = () => `https://example.com/soak/${++count}`
  const keep = ({ body }: RawAnswer) => {
    const made = JSON.parse(body) as SoakLink
    own.push({ ...made, answered: 0, sent: 0 })
    // Only the newest are used again.
    if (own.length > 500) own.splice(0, 250)
  }
  const chosen = () => oneOf(random, own.length > 0 ? own : hot)
  const typeOf = (type: string) => (answer: RawAnswer) =>
    assert.equal(answer.headers['content-type']?.slice(0, type.length), type)
  const image = (format: keyof typeof IMAGE_TYPES) =>
    expect(send('GET', `/${chosen().code}/qr.${format}`), 200, typeOf(IMAGE_TYPES[format]))

  return {
    'visits, cached': { lanes: 8, paceMs: 2, send: () => visit(oneOf(random, hot)) },
    'visits, not cached': { lanes: 4, paceMs: 2, send: () => visit(oneOf(random, cold)) },
    'visits, unknown': { lanes: 1, paceMs: 20, send: () => expect(send('GET', `/none-${++count}`), 404) },
    creations: {
      lanes: 2,
      paceMs: 10,
      send: () => expect(send('POST', '/api/links', { target: newTarget() }), 201, keep),
    },
    edits: {
      lanes: 2,
      paceMs: 10,
      async send() {
        const [link, target] = [chosen(), newTarget()]
        if (hot.includes(link)) return true
        return expect(send('PUT', `/api/manage/${link.token}`, { target }), 200, ({ body }) =>
          assert.equal((JSON.parse(body) as SoakLink).target, target),
        )
      },
    },
    images: { lanes: 2, paceMs: 10, send: () => image(oneOf(random, ['png', 'svg', 'pdf'] as const)) },
    designs: {
      lanes: 1,
      paceMs: 100,
      send: () => expect(send('POST', '/api/qr', { data: newTarget(), design: { shape: 'dots' } }), 200),
    },
    statistics: {
      lanes: 2,
      paceMs: 20,
      send: () => expect(send('GET', `/api/manage/${oneOf(random, hot).token}/stats`), 200),
    },
    exports: {
      lanes: 1,
      paceMs: 100,
      send: () => expect(send('GET', `/api/manage/${oneOf(random, cold).token}/scans.csv`), 200, typeOf('text/csv')),
    },
    pages: {
      lanes: 1,
      paceMs: 20,
      send: () => expect(send('GET', oneOf(random, ['/', '/bulk', `/m/${chosen().token}`])), 200, typeOf('text/html')),
    },
    bulk: {
      lanes: 1,
      paceMs: 200,
      send: () =>
        expect(
          send(
            'POST',
            '/api/bulk',
            Array.from({ length: BULK_ROWS }, () => ({ target: newTarget() })),
          ),
          201,
          ({ body }) => assert.equal((JSON.parse(body) as { results: object[] }).results.length, BULK_ROWS),
        ),
    },
    'broken connections': { lanes: 1, paceMs: 50, send: () => breakOff(`${url}/api/qr?size=1024&data=${newTarget()}`) },
    streams: { lanes: 2, paceMs: 50, send: () => listen(`${url}/api/manage/${oneOf(random, hot).token}/stream`) },
  }
}

/** A client that disconnects before the response. */
function breakOff(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = get(url, { agent: false })
    sent.on('error', () => resolve(true)).on('close', () => resolve(true))
    setTimeout(() => sent.destroy(), 5)
  })
}

/** Reads the first event of a stream, and disconnects. */
function listen(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a stream returned ${response.statusCode}`))
      response.once('data', () => {
        sent.destroy()
        resolve(true)
      })
      response.on('error', () => {})
    })
    sent.on('error', reject)
  })
}
