import { hash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import { createCounter, type Window } from './counter.ts'

const HOUR_MS = 3_600_000
/** The key of a request without a quota. */
const UNLIMITED = -1
/** About 20 MiB. An attacker with more addresses than this can exceed the quotas. */
const MAX_CLIENTS = 100_000

/** What each quota limits, as a refusal says it. */
const subjects = {
  links: 'links can be created',
  bulk: 'bulk requests can be made',
  qr: 'QR images can be requested',
  domains: 'domains can be registered',
  reports: 'reports can be sent',
  failures: 'requests can be refused',
  misses: 'unknown codes and tokens can be tried',
} as const

export type LimitName = keyof typeof subjects

const limitNames = Object.keys(subjects)

/** Requests per hour and client, by kind; 0 for no limit. */
export type Quotas = Record<LimitName, number>

/** Undoes a charge. */
export type Refund = () => void

/** Hourly quotas for each client address. */
export interface FairUse {
  /**
   * Charges the client's quota, and sets the `RateLimit` headers of the response.
   * @throws {Problem} 429 when the quota is used up
   */
  charge: (request: FastifyRequest, reply: FastifyReply, name: LimitName) => Refund
  /** A key of the request's client, for fair queues: the same until a restart, and does not reveal the address. */
  clientOf: (request: FastifyRequest) => string
  /** A hook that charges each request. */
  each: (name: LimitName) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Charges an unknown code or token; returns the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Problem | undefined
  /** Hooks for a route that creates: each request is charged as a failure, which is refunded when it succeeds. */
  creation: (name: LimitName) => { onRequest: onRequestHookHandler; onSend: onSendHookHandler }
}

/**
 * Counts in memory, by a hash of the client's address with a random salt that is stored nowhere: no address is kept, and
 * a restart resets all counts.
 */
export function createFairUse(quotas: Quotas, client: Pick<ClientAddress, 'of'>, monotonic: () => number): FairUse {
  const salt = randomBytes(32).toString('hex')
  const counter = createCounter({ windowMs: HOUR_MS, maxKeys: MAX_CLIENTS, monotonic })
  const keyOf = createKeys(salt, client)

  /** @returns the seconds until the window ends */
  function setHeaders(reply: FastifyReply, name: LimitName, { used, until }: Window): number {
    const seconds = Math.ceil((until - monotonic()) / 1000)
    const quota = quotas[name]
    if (quota > 0) reply.headers(rateLimitHeaders(name, quota, Math.max(0, quota - used), seconds))
    return seconds
  }

  /** Charges a request, or throws; returns the key for a refund. */
  function chargeKey(request: FastifyRequest, reply: FastifyReply, name: LimitName): number {
    const quota = quotas[name]
    if (quota === 0) return UNLIMITED
    const key = keyOf(request, name)
    const window = counter.read(key)
    if (window.used >= quota) throw quotaProblem(name, quota, setHeaders(reply, name, window))
    setHeaders(reply, name, counter.charge(key))
    return key
  }

  function charge(request: FastifyRequest, reply: FastifyReply, name: LimitName): Refund {
    const key = chargeKey(request, reply, name)
    return () => {
      counter.refund(key)
      setHeaders(reply, name, counter.read(key))
    }
  }

  return {
    charge,
    clientOf: (request) => hash('sha256', `${salt}client ${client.of(request.raw)}`, 'base64url'),
    each: (name) => async (request, reply) => void charge(request, reply, name),
    chargeNotFound: (request, reply) => problemOf(() => chargeKey(request, reply, 'misses')),
    creation: createCreationHooks(counter.refund, (request, reply, name) => {
      const failure = chargeKey(request, reply, 'failures')
      if (quotas[name] > 0) setHeaders(reply, name, counter.read(keyOf(request, name)))
      return failure
    }),
  }
}

/** @param chargeFailure returns the key for a refund */
function createCreationHooks(
  refund: (key: number) => void,
  chargeFailure: (request: FastifyRequest, reply: FastifyReply, name: LimitName) => number,
): FairUse['creation'] {
  const failures = new WeakMap<FastifyRequest, number>()
  return (name) => ({
    onRequest(request, reply, done) {
      try {
        const key = chargeFailure(request, reply, name)
        if (key !== UNLIMITED) failures.set(request, key)
      } catch (error) {
        return done(error as Error)
      }
      done()
    },
    onSend(request, { statusCode }, payload, done) {
      const isFailure = statusCode >= 400 && statusCode < 500 && statusCode !== 429
      const key = failures.get(request)
      if (!isFailure && key !== undefined) refund(key)
      done(null, payload)
    },
  })
}

function problemOf(charge: () => void): Problem | undefined {
  try {
    charge()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function quotaProblem(name: LimitName, quota: number, seconds: number): Problem {
  const wait =
    seconds < 120 ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}` : `${Math.ceil(seconds / 60)} minutes`
  const detail = `${quota} ${subjects[name]} from one address in an hour; try again in ${wait}`
  return new Problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
}

/** Keys of the counter. A request may be charged to several quotas, whose keys differ in the last three of 48 bits. */
function createKeys(salt: string, client: Pick<ClientAddress, 'of'>) {
  const bases = new WeakMap<FastifyRequest, number>()
  return (request: FastifyRequest, name: LimitName): number => {
    let base = bases.get(request)
    if (base === undefined) {
      base = hash('sha256', `${salt}limits ${client.of(request.raw)}`, 'buffer').readUIntBE(0, 6)
      bases.set(request, base)
    }
    return base - (base % 8) + limitNames.indexOf(name)
  }
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers-10; each is a list of one item. */
function rateLimitHeaders(name: LimitName, quota: number, remaining: number, seconds: number): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${HOUR_MS / 1000}`,
    ratelimit: `"${name}";r=${remaining};t=${seconds}`,
  }
}
