import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onSendHookHandler } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import { chargingHook } from '../http/refusals.ts'
import { WINDOW_MS, type ChargeOutcome, type Counter, type Counters, type Window } from './counter.ts'
import type { Refund } from '../lib/charged.ts'
import { asHolder, type Holder } from '../lib/holder.ts'

/** What each quota limits, as a refusal says it: one, several, and what is done with them. */
const subjects = {
  links: ['link', 'links', 'created'],
  changes: ['link', 'links', 'changed'],
  aliases: ['code of one’s own', 'codes of one’s own', 'created in bulk'],
  bulk: ['bulk request', 'bulk requests', 'made'],
  qr: ['QR image', 'QR images', 'requested'],
  domains: ['domain', 'domains', 'registered'],
  reports: ['report', 'reports', 'sent'],
  failures: ['request', 'requests', 'refused'],
  misses: ['unknown code or token', 'unknown codes and tokens', 'tried'],
  room: ['KiB', 'KiB', 'stored, while the disk of the service is nearly full,'],
} as const

export type LimitName = keyof typeof subjects

export const limitNames = Object.keys(subjects) as LimitName[]

/**
 * How many times the quota of a client all clients of a network have together: an IPv6 network has 65,536 of them, whose quotas
 * would fill any disk. Far more than its honest ones create in an hour, also where a carrier puts many people behind one.
 */
export const CLIENTS_OF_NETWORK = 16

/** The same for the networks of one allocation, which are 65,536 as well, and together no more than a small customer of a registry. */
const NETWORKS_OF_ALLOCATION = 16

/** Requests per hour and client, or KiB of `room`, by kind; 0 for no limit. They are read at each charge. */
export type Quotas = Readonly<Record<LimitName, number>>

/** The response whose headers say what is left. */
interface Told {
  headers: (values: Record<string, string>) => unknown
}

/** Hourly quotas for each client address, and for each network. */
export interface FairUse {
  /**
   * Charges the client's quota, and sets the `RateLimit` headers of the response.
   * @param units how much is charged, all or nothing; one when absent
   * @throws {Problem} 429 when less than that is left to the client, to its network, or to the networks of its allocation
   */
  charge: (request: Pick<FastifyRequest, 'raw'>, reply: Told, name: LimitName, units?: number) => Promise<Refund>
  /**
   * Charges what a request is about to store, while there is a quota of that: what is left of a disk that is nearly full is shared.
   * A request that fails afterwards is charged all the same.
   * @param bytesOf called only then
   * @throws {Problem} 429
   */
  chargeRoom: (request: Pick<FastifyRequest, 'raw'>, reply: Told, bytesOf: () => number) => Promise<void>
  /** Who a request counts for in pools and queues; to be kept no longer than the request lasts. */
  holderOf: (request: Pick<FastifyRequest, 'raw'>) => Holder
  /** A hook that charges each request. */
  each: (name: LimitName) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Charges a request whose body has not arrived in time as one that was refused. It never throws. */
  chargeLate: (request: IncomingMessage) => void
  /** Charges an unknown code or token; resolves to the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
  /**
   * Hooks for a route that creates: each request is charged as a failure, which is refunded when it succeeds.
   * @param isFree whether a request passes although the quota of failures is used up
   */
  creation: (
    name: LimitName,
    isFree?: (request: FastifyRequest) => Promise<boolean>,
  ) => { onRequest: onRequestAsyncHookHandler; onSend: onSendHookHandler }
}

/** A charge that was refused. */
interface Refused {
  charge: ChargeOutcome
  quota: number
  units: number
  /** What has the quota. */
  where: string
}

const WHERE = { allocation: 'allocation (IPv6 /32)', network: 'network (IPv4 /24, IPv6 /48)', client: 'address' }

/** Counts by a salted hash of the client's address: no address is kept. */
export function createFairUse(
  quotas: Quotas,
  counters: Pick<Counters, 'of' | 'salt'>,
  client: Pick<ClientAddress, 'of'>,
  monotonic: () => number,
  onRefusal: (name: LimitName) => void,
): FairUse {
  const counter = counters.of('clients')
  const keyOf = createKeys(counters.salt, client)
  const ownKeyOf = (request: Pick<FastifyRequest, 'raw'>, name: LimitName) => keyOf(request, name, 'client') as number
  const setHeaders = createHeaders(quotas, monotonic)

  const levels = { allocation: counters.of('allocations'), network: counters.of('networks'), client: counter }
  const chargeUnits = createCharging({ quotas, levels, keyOf, setHeaders, onRefusal })

  const charge: FairUse['charge'] = async (request, reply, name, units) => {
    const charged = await chargeUnits(request, reply, name, units)
    return async () => {
      if (charged !== undefined) setHeaders(reply, name, await charged.refund())
    }
  }

  return {
    charge,
    async chargeRoom(request, reply, bytesOf) {
      if (quotas.room > 0) await chargeUnits(request, reply, 'room', Math.ceil(bytesOf() / 1024))
    },
    holderOf: (request) => asHolder(client.of(request.raw)),
    chargeLate: (raw) => void (quotas.failures > 0 && counter.charge(ownKeyOf({ raw }, 'failures'), quotas.failures)),
    each: (name) => chargingHook(async (request, reply) => void (await chargeUnits(request, reply, name))),
    chargeNotFound: (request, reply) => problemOf(chargeUnits(request, reply, 'misses')),
    creation: createCreationHooks(
      async (request, reply, name) => {
        const window = quotas[name] > 0 ? counter.read(ownKeyOf(request, name)) : undefined
        const failure = await chargeUnits(request, reply, 'failures')
        if (window !== undefined) setHeaders(reply, name, await window)
        return failure
      },
      (request, reply) => chargeUnits(request, reply, 'misses'),
    ),
  }
}

/** Whose quota is charged, from the largest on. */
type Level = 'allocation' | 'network' | 'client'

interface Charging {
  quotas: Quotas
  levels: Record<Level, Counter>
  keyOf: ReturnType<typeof createKeys>
  setHeaders: ReturnType<typeof createHeaders>
  onRefusal: (name: LimitName) => void
}

const factors = {
  allocation: NETWORKS_OF_ALLOCATION * CLIENTS_OF_NETWORK,
  network: CLIENTS_OF_NETWORK,
  client: 1,
}

function createCharging({ quotas, levels, keyOf, setHeaders, onRefusal }: Charging) {
  /** Charges a request, or throws; resolves to nothing without a quota. */
  async function chargeUnits(request: Pick<FastifyRequest, 'raw'>, reply: Told, name: LimitName, units = 1) {
    // Read once: that of room ends when the disk has room again.
    const ofClient = quotas[name]
    if (ofClient === 0) return undefined
    const charges: ChargeOutcome[] = []
    const refundAll = async () => (await Promise.all(charges.map(({ refund }) => refund()))).at(-1) as Window
    // From the largest on: who is refused for what he is part of is not counted himself, and evicts no count of others.
    for (const level of ['allocation', 'network', 'client'] as const) {
      const key = keyOf(request, name, level)
      if (key === undefined) continue
      const quota = ofClient * factors[level]
      const charge = await levels[level].charge(key, quota, units)
      if (charge.isRefused) {
        await refundAll()
        throw refusal(reply, name, { charge, quota, units, where: WHERE[level] })
      }
      charges.push(charge)
    }
    const own = charges.at(-1) as ChargeOutcome
    // The quota of what the request does says more.
    if (name !== 'room') setHeaders(reply, name, own)
    return { ...own, refund: refundAll }
  }

  function refusal(reply: Told, name: LimitName, { charge, quota, units, where }: Refused): Problem {
    onRefusal(name)
    const left = Math.max(0, quota - charge.used)
    const seconds = setHeaders(reply, name, { ...charge, used: quotas[name] - Math.min(left, quotas[name]) })
    return quotaProblem(name, { quota, left, units, seconds, where })
  }

  return chargeUnits
}

/** @returns a function that returns the seconds until the window ends */
function createHeaders(quotas: Quotas, monotonic: () => number) {
  return (reply: Told, name: LimitName, { used, until }: Window): number => {
    const seconds = Math.ceil((until - monotonic()) / 1000)
    const quota = quotas[name]
    if (quota > 0) reply.headers(rateLimitHeaders(name, quota, Math.max(0, quota - used), seconds))
    return seconds
  }
}

function createCreationHooks(
  chargeFailure: (request: FastifyRequest, reply: FastifyReply, name: LimitName) => Promise<ChargeOutcome | undefined>,
  chargeRetry: (request: FastifyRequest, reply: FastifyReply) => Promise<ChargeOutcome | undefined>,
): FairUse['creation'] {
  const failures = new WeakMap<FastifyRequest, ChargeOutcome>()
  return (name, isFree) => ({
    onRequest: chargingHook(async (request, reply) => {
      try {
        const failure = await chargeFailure(request, reply, name)
        if (failure !== undefined) failures.set(request, failure)
      } catch (error) {
        if ((await isFree?.(request)) !== true) throw error
        // It may be no retry after all, but another request with the key of one: its body is read and validated before that shows.
        const retry = await chargeRetry(request, reply)
        if (retry !== undefined) failures.set(request, retry)
      }
    }),
    onSend(request, { statusCode }, payload, done) {
      const isFailure = statusCode >= 400 && statusCode < 500
      // The response does not wait for it.
      if (!isFailure) void failures.get(request)?.refund()
      done(null, payload)
    },
  })
}

async function problemOf(charge: Promise<unknown>): Promise<Problem | undefined> {
  try {
    await charge
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function quotaProblem(
  name: LimitName,
  { quota, left, units, seconds, where }: Omit<Refused, 'charge'> & { left: number; seconds: number },
): Problem {
  const wait =
    seconds < 120 ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}` : `${Math.ceil(seconds / 60)} minutes`
  const [one, several, done] = subjects[name]
  const most = `${quota} ${quota === 1 ? one : several} can be ${done} from one ${where} in an hour`
  const rest =
    units === 1 ? '' : `, of which ${left} ${left === 1 ? 'is' : 'are'} left for the ${units} of this request`
  const detail = `${most}${rest}; try again in ${wait}`
  return new Problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
}

/**
 * Keys of the counters. A request may be charged to several quotas, whose keys differ in the last four of 48 bits.
 * @returns undefined for an allocation that is one network
 */
function createKeys(salt: () => string, client: Pick<ClientAddress, 'of'>) {
  const bases = new WeakMap<IncomingMessage, Partial<Record<Level, number>>>()
  function basesOf(raw: IncomingMessage): Partial<Record<Level, number>> {
    const { client: address, network, allocation } = asHolder(client.of(raw))
    const digest = (text: string) => hash('sha256', `${salt()}limits ${text}`, 'buffer').readUIntBE(0, 6)
    return {
      client: digest(address),
      network: digest(`network ${network}`),
      ...(allocation !== network && { allocation: digest(`allocation ${allocation}`) }),
    }
  }
  return ({ raw }: Pick<FastifyRequest, 'raw'>, name: LimitName, level: Level): number | undefined => {
    let found = bases.get(raw)
    if (found === undefined) bases.set(raw, (found = basesOf(raw)))
    const base = found[level]
    return base === undefined ? undefined : base - (base % 16) + limitNames.indexOf(name)
  }
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers-10; each is a list of one item. */
function rateLimitHeaders(name: LimitName, quota: number, remaining: number, seconds: number): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${WINDOW_MS / 1000}`,
    ratelimit: `"${name}";r=${remaining};t=${seconds}`,
  }
}
