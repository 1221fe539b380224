// A client that owns links and records the responses, so that a test can compare them with the service's data afterwards.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, type RawAnswer } from './http.ts'
import { oneOf, type Random } from './random.ts'

/** A link as in the last response. */
export interface Known {
  code: string
  token: string
  target: string
  active: boolean
  deleted: boolean
  /** Visits, by their referrers: those answered with a redirect, and all that were sent. */
  answered: Set<string>
  asked: Set<string>
}

type Change = Partial<Pick<Known, 'target' | 'active' | 'deleted'>>

/** A request whose response was lost: the service has applied it completely, or not at all. */
type Unanswered = Creation | { link: Known; change: Change; wasTried: boolean }
interface Creation {
  path: string
  targets: string[]
  key: string | undefined
}

/** One client, which sends one request after the other, and its responses. */
export interface Owner {
  links: Known[]
  /** Targets of creations without a key whose response was lost, by request. */
  uncertain: string[][]
  /** The number of responses by status. */
  statuses: Map<number, number>
  /**
   * Sends random requests until the service is gone, or `isOver`; retries an unanswered request first.
   * @param paceMs the pause between requests
   */
  work: (url: string, isOver?: () => boolean, paceMs?: number) => Promise<void>
  /** Visits each of its links twice, after which the service has them in its cache. */
  visitOften: (url: string) => Promise<void>
  /** Retries the unanswered request. */
  repeat: (url: string) => Promise<void>
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'
const BULK_ROWS = 5
/** The number of recent links that are changed and visited. */
const IN_USE = 20

/** @param name distinguishes its links and visits from those of other owners */
export function createOwner(name: string, random: Random): Owner {
  const owner: Pick<Owner, 'links' | 'uncertain' | 'statuses'> = { links: [], uncertain: [], statuses: new Map() }
  const { links, uncertain, statuses } = owner
  let agent = new Agent()
  let unanswered: Unanswered | undefined
  /** The last answered creation with an idempotency key. */
  let idempotent: { creation: Creation; tokens: string[] } | undefined
  let count = 0
  const newTarget = () => `https://example.com/${name}/${++count}`
  const newKey = () => (random() < 0.5 ? randomUUID() : undefined)

  async function send(method: string, url: string, body?: object, headers: Record<string, string> = {}) {
    const json = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    const answer = await ask(url, { method, agent, headers, ...json })
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    return answer
  }

  /** The links of a creation in the order of its targets, or undefined if it was rejected. */
  async function post(url: string, { path, targets, key }: Creation): Promise<Known[] | undefined> {
    const [first, ...more] = targets.map((target) => ({ target }))
    const body = more.length > 0 ? [first, ...more] : { ...first }
    const answer = await send('POST', `${url}${path}`, body, key === undefined ? {} : { 'idempotency-key': key })
    if (isRefused(answer)) return undefined
    assert.equal(answer.status, 201, answer.body)
    const made = JSON.parse(answer.body) as Known & { results?: Known[] }
    return made.results ?? [made]
  }

  async function create(url: string, creation: Creation): Promise<void> {
    unanswered = creation
    const made = await post(url, creation)
    if (made === undefined) return
    for (const [at, { code, token }] of made.entries()) {
      const visits = { answered: new Set<string>(), asked: new Set<string>() }
      links.push({ code, token, target: creation.targets[at] ?? '', active: true, deleted: false, ...visits })
    }
    if (creation.key !== undefined) idempotent = { creation, tokens: made.map(({ token }) => token) }
    unanswered = undefined
  }

  /** A retry with the same key receives the same response, and creates nothing. */
  async function retryCreation(url: string, { creation, tokens }: NonNullable<typeof idempotent>): Promise<void> {
    const again = await post(url, creation)
    if (again !== undefined)
      assert.deepEqual(
        again.map(({ token }) => token),
        tokens,
      )
  }

  async function change(url: string, request: Extract<Unanswered, { link: Known }>): Promise<void> {
    unanswered = request
    const { link, change: wanted, wasTried } = request
    const path = `${url}/api/manage/${link.token}`
    if (wasTried && !(await isBeforeOrAfter(path, link, wanted))) return
    request.wasTried = true
    const answer = wanted.deleted === true ? await send('DELETE', path) : await send('PUT', path, wanted)
    if (isRefused(answer)) return
    const wasDone = wasTried && wanted.deleted === true && answer.status === 404
    if (!wasDone) assert.equal(answer.status, 200, answer.body)
    Object.assign(link, wanted)
    unanswered = undefined
  }

  /** Asserts that a change whose response was lost was applied completely or not at all; false if the service is not ready. */
  async function isBeforeOrAfter(path: string, link: Known, wanted: Change): Promise<boolean> {
    const answer = await send('GET', path)
    if (isRefused(answer)) return false
    if (answer.status === 404) assert.equal(wanted.deleted, true, `${link.code} is gone`)
    else {
      const found = JSON.parse(answer.body) as Known
      for (const field of ['target', 'active'] as const) {
        const allowed = [link[field], wanted[field] ?? link[field]]
        assert.ok(
          allowed.includes(found[field]),
          `${link.code}: ${field} is ${found[field]}, and not ${allowed.join(' or ')}`,
        )
      }
    }
    return true
  }

  async function visit(url: string, link: Known): Promise<void> {
    const referrer = `${name}-${++count}.example.com`
    link.asked.add(referrer)
    const answer = await send('GET', `${url}/${link.code}`, undefined, {
      referer: `https://${referrer}/`,
      'user-agent': BROWSER,
    })
    if (isRefused(answer)) return
    const expected = link.deleted ? 410 : link.active ? 302 : 404
    assert.equal(answer.status, expected, `visit of ${link.code}: ${answer.body}`)
    if (expected !== 302) return
    assert.equal(answer.headers.location, link.target)
    link.answered.add(referrer)
  }

  function next(url: string): Promise<void> {
    const choice = random()
    const recent = links.slice(-IN_USE)
    const live = recent.filter(({ deleted }) => !deleted)
    if (idempotent !== undefined && random() < 0.05) return retryCreation(url, idempotent)
    if (live.length < 3 || choice < 0.2)
      return create(url, { path: '/api/links', targets: [newTarget()], key: newKey() })
    if (choice < 0.25) {
      const targets = Array.from({ length: BULK_ROWS }, newTarget)
      return create(url, { path: '/api/bulk?atomic=true', targets, key: newKey() })
    }
    if (choice >= 0.6) return visit(url, oneOf(random, recent))
    const link = oneOf(random, live)
    if (choice < 0.4) return change(url, { link, change: { target: newTarget() }, wasTried: false })
    if (choice < 0.5) return change(url, { link, change: { active: !link.active }, wasTried: false })
    return change(url, { link, change: { deleted: true }, wasTried: false })
  }

  /** While a request is unanswered, visits other links or retries it. */
  function goOn(url: string, last: Unanswered): Promise<void> {
    const others = links.slice(-IN_USE).filter((link) => !('link' in last && link === last.link))
    return others.length > 0 && random() < 0.5 ? visit(url, oneOf(random, others)) : repeat(url)
  }

  async function repeat(url: string): Promise<void> {
    if (unanswered === undefined) return
    if ('link' in unanswered) return change(url, unanswered)
    if (unanswered.key !== undefined) return create(url, unanswered)
    uncertain.push(unanswered.targets)
    unanswered = undefined
  }

  return {
    ...owner,
    repeat,
    async visitOften(url) {
      // A change that was not answered may be there or not.
      const changing = unanswered !== undefined && 'link' in unanswered ? unanswered.link : undefined
      const sure = links.slice(-IN_USE).filter((link) => link !== changing)
      for (const link of [...sure, ...sure]) await visit(url, link)
    },
    async work(url, isOver = () => false, paceMs = 0) {
      agent = new Agent({ keepAlive: true, maxSockets: 1 })
      try {
        while (!isOver()) {
          await (unanswered === undefined ? next(url) : goOn(url, unanswered))
          if (paceMs > 0) await sleep(paceMs)
        }
      } catch (error) {
        if (!isGone(error)) throw error
      } finally {
        agent.destroy()
      }
    },
  }
}

/** Whether the service rejected a request with 503, the only server error that it may return. */
function isRefused({ status, body }: RawAnswer): boolean {
  if (status >= 500) assert.equal(status, 503, body)
  return status === 503
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code)
}
