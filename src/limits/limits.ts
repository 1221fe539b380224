import { hash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import { createCounter, type Window } from './counter.ts'

const HOUR_MS = 3_600_000
/** The key of what is not counted. */
const UNLIMITED = -1
/** About 20 MiB; who has more addresses than this is not held by a limit for each. */
const MAX_CLIENTS = 100_000

/** What is limited, and how a refusal says so. */
const subjects = {
  links: 'links can be created',
  bulk: 'bulk requests can be made',
  qr: 'QR images can be had',
  domains: 'domains can be registered',
  reports: 'reports can be made',
  failures: 'requests can be refused',
  misses: 'unknown codes and tokens can be tried',
} as const

export type LimitName = keyof typeof subjects

const limitNames = Object.keys(subjects)

/** Requests an hour and client of each kind; 0 stands for no limit. */
export type Quotas = Record<LimitName, number>

/** Takes a charge back. */
export type Refund = () => void

/** Fair use: what one address may do in an hour. */
export interface FairUse {
  /**
   * Takes one from what the request's client has left, and says in the answer what remains.
   * @throws {Problem} 429 when nothing is left
   */
  charge: (request: FastifyRequest, reply: FastifyReply, name: LimitName) => Refund
  /** A key of the request's client, for those who let clients take turns: the same until a restart, and no address. */
  clientOf: (request: FastifyRequest) => string
  /** A hook that charges each request. */
  each: (name: LimitName) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Charges an unknown code or token; the problem that it answers is told in its place. */
  miss: (request: FastifyRequest, reply: FastifyReply) => Problem | undefined
  /** Hooks for a route that creates: each request is charged as a failure, and that is taken back when it is none. */
  creation: (name: LimitName) => { onRequest: onRequestHookHandler; onSend: onSendHookHandler }
}

/**
 * Counts in memory, by a hash of the client's address under a random salt that is kept nowhere else: no address stays,
 * and a restart forgets all counts.
 */
export function createFairUse(quotas: Quotas, client: Pick<ClientAddress, 'of'>, monotonic: () => number): FairUse {
  const salt = randomBytes(32).toString('hex')
  const counter = createCounter({ windowMs: HOUR_MS, maxKeys: MAX_CLIENTS, monotonic })

  const keyOf = createKeys(salt, client)

  function tell(reply: FastifyReply, name: LimitName, { used, until }: Window): number {
    const seconds = Math.ceil((until - monotonic()) / 1000)
    const quota = quotas[name]
    if (quota > 0) reply.headers(headers(name, quota, Math.max(0, quota - used), seconds))
    return seconds
  }

  /** Charges a request, or refuses it; the key is for a refund. */
  function take(request: FastifyRequest, reply: FastifyReply, name: LimitName): number {
    const quota = quotas[name]
    if (quota === 0) return UNLIMITED
    const key = keyOf(request, name)
    const before = counter.read(key)
    if (before.used >= quota) {
      const seconds = tell(reply, name, before)
      const detail = `${quota} ${subjects[name]} from one address in an hour; try again in ${inWords(seconds)}`
      throw new Problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
    }
    tell(reply, name, counter.charge(key))
    return key
  }

  function charge(request: FastifyRequest, reply: FastifyReply, name: LimitName): Refund {
    const key = take(request, reply, name)
    return () => {
      counter.refund(key)
      tell(reply, name, counter.read(key))
    }
  }

  return {
    charge,
    clientOf: (request) => hash('sha256', `${salt}client ${client.of(request.raw)}`, 'base64url'),
    each: (name) => async (request, reply) => void charge(request, reply, name),
    miss(request, reply) {
      try {
        take(request, reply, 'misses')
        return undefined
      } catch (error) {
        if (error instanceof Problem) return error
        throw error
      }
    },
    creation: createCreationHooks({
      take: (request, reply) => take(request, reply, 'failures'),
      tell: (request, reply, name) => quotas[name] > 0 && tell(reply, name, counter.read(keyOf(request, name))),
      refund: counter.refund,
    }),
  }
}

interface Failures {
  take: (request: FastifyRequest, reply: FastifyReply) => number
  tell: (request: FastifyRequest, reply: FastifyReply, name: LimitName) => void
  refund: (key: number) => void
}

function createCreationHooks({ take, tell, refund }: Failures): FairUse['creation'] {
  const failures = new WeakMap<FastifyRequest, number>()
  return (name) => ({
    onRequest(request, reply, done) {
      try {
        const key = take(request, reply)
        if (key !== UNLIMITED) failures.set(request, key)
        tell(request, reply, name)
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

/** Keys of what is counted. A request is asked for several limits, whose keys differ in the last three of 48 bits. */
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
function headers(name: LimitName, quota: number, rest: number, seconds: number): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${HOUR_MS / 1000}`,
    ratelimit: `"${name}";r=${rest};t=${seconds}`,
  }
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
