// An owner of links, who keeps what was answered: to tell afterwards whether it is true.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, type RawAnswer } from './http.ts'
import { oneOf, type Random } from './random.ts'

/** A link as it was answered last. */
export interface Known {
  code: string
  token: string
  target: string
  active: boolean
  deleted: boolean
  /** Visits, by their referrers: those that were answered with a redirect, and all that were asked for. */
  answered: Set<string>
  asked: Set<string>
}

type Change = Partial<Pick<Known, 'target' | 'active' | 'deleted'>>

/** A request whose answer is not known: it was done whole, or not at all. */
type Unanswered = Creation | { link: Known; change: Change; wasTried: boolean }
interface Creation {
  path: string
  targets: string[]
  key: string | undefined
}

/** Everything that one client was answered. It asks for one thing after the other. */
export interface Owner {
  links: Known[]
  /** Targets of creations without a key whose answer is not known, by their request. */
  uncertain: string[][]
  /** How often each status was answered. */
  statuses: Map<number, number>
  /**
   * Asks for one thing after the other until the service is gone, or `isOver`; first again for what was not answered.
   * @param paceMs rests so long between requests
   */
  work: (url: string, isOver?: () => boolean, paceMs?: number) => Promise<void>
  /** Visits its links twice each: the second time, the service keeps them in memory. */
  visitOften: (url: string) => Promise<void>
  /** Asks again for what was not answered. */
  repeat: (url: string) => Promise<void>
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'
const BULK_ROWS = 5
/** Links that are changed and visited; older ones rest. */
const IN_USE = 20

/** @param name tells its links and visits from those of other owners */
export function createOwner(name: string, random: Random): Owner {
  const owner: Pick<Owner, 'links' | 'uncertain' | 'statuses'> = { links: [], uncertain: [], statuses: new Map() }
  const { links, uncertain, statuses } = owner
  let agent = new Agent()
  let unanswered: Unanswered | undefined
  /** The last creation with a key that was answered. */
  let repeatable: { creation: Creation; tokens: string[] } | undefined
  let count = 0
  const newTarget = () => `https://example.com/${name}/${++count}`
  const newKey = () => (random() < 0.5 ? randomUUID() : undefined)

  async function send(method: string, url: string, body?: object, headers: Record<string, string> = {}) {
    const json = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    const answer = await ask(url, { method, agent, headers, ...json })
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    return answer
  }

  /** The links of a creation in the order of its targets, or undefined when it was refused. */
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
    if (creation.key !== undefined) repeatable = { creation, tokens: made.map(({ token }) => token) }
    unanswered = undefined
  }

  /** A repetition is answered as the creation was, and creates nothing. */
  async function createAgain(url: string, { creation, tokens }: NonNullable<typeof repeatable>): Promise<void> {
    const again = await post(url, creation)
    if (again !== undefined)
      assert.deepEqual(
        again.map(({ token }) => token),
        tokens,
      )
  }

  async function change(url: string, asked: Extract<Unanswered, { link: Known }>): Promise<void> {
    unanswered = asked
    const { link, change: wanted, wasTried } = asked
    const path = `${url}/api/manage/${link.token}`
    if (wasTried && !(await isBeforeOrAfter(path, link, wanted))) return
    asked.wasTried = true
    const answer = wanted.deleted === true ? await send('DELETE', path) : await send('PUT', path, wanted)
    if (isRefused(answer)) return
    const wasDone = wasTried && wanted.deleted === true && answer.status === 404
    if (!wasDone) assert.equal(answer.status, 200, answer.body)
    Object.assign(link, wanted)
    unanswered = undefined
  }

  /** Makes sure that a change whose answer is not known was made whole, or not at all; false if that was not told. */
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
    if (repeatable !== undefined && random() < 0.05) return createAgain(url, repeatable)
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

  /** While an answer is missing there are other links to be visited. */
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
      for (const link of [...links.slice(-IN_USE), ...links.slice(-IN_USE)]) await visit(url, link)
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

/** Whether the service could not say what became of a request: no other error is expected of it. */
function isRefused({ status, body }: RawAnswer): boolean {
  if (status >= 500) assert.equal(status, 503, body)
  return status === 503
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code)
}
