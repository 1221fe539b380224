import { request as requestHttp, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { clientOf } from '../http/client-address.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { asHolder } from '../lib/holder.ts'
import { boundTls } from './bounded-tls.ts'
import { plainAgent } from './connection.ts'
import type { OutgoingMemory } from './outgoing-memory.ts'
import type { IsOwn } from './own-networks.ts'
import { machineOf, NotNow, type Receivers } from './receivers.ts'
import { RequestError } from './request-error.ts'
import { ownValue } from '../lib/own-value.ts'

/** The longest that a request may take, from the look-up of its host to the end of its response. */
const TIMEOUT_MS = 5_000
/** Bytes that are read of the body of a response, and of its headers. */
const MAX_BODY_BYTES = 65_536
const MAX_HEADER_BYTES = 16_384
/**
 * Bytes that are read of a connection, and of how many parts a response may be: chunks of its body, and interim responses such as
 * 103, of which a sender may send as many as it likes. A part of a few bytes costs as much as one of thousands.
 */
const MAX_READ_BYTES = 131_072
const MAX_PARTS = 512
/** Addresses of a host that are tried. */
const MAX_ADDRESSES = 8

/**
 * Sends a request to a host of the public internet.
 * @throws {RequestError} when no response came
 * @throws {NotNow} when the machines of the host have as many requests as they may have, or there is no memory for it
 */
export type GuardedRequest = (url: string, options: GuardedOptions) => Promise<Answer>

export interface Answer {
  status: number
  /** The value of `Retry-After`. */
  retryAfter?: string
}

export interface GuardedOptions {
  method: 'POST' | 'HEAD' | 'GET'
  headers?: Record<string, string>
  body?: string
  /** Interrupts the request. */
  signal: AbortSignal
  /** Called before a connection is opened; throws what the request is to reject with. */
  onConnect?: () => void
  /** Whether the receiver was slow or failed the last time. */
  isSlow?: boolean | undefined
  /** The network that it is sent for, which takes turns with others at a machine. */
  network?: string | undefined
}

/** None was sent: the host is this service, or in the network of its machine. Visitors may be able to reach it. */
export class OwnHostError extends RequestError {}

export interface GuardedRequestDeps {
  /** The addresses of a host, or the host itself when it is one. */
  addressesOf: (host: string) => Promise<string[]>
  /** Whether a request may go to an address; tests allow loopback. */
  isAllowed?: ((address: string) => boolean) | undefined
  /** Which addresses are the service's own; none by default. */
  ownNetworks?: (() => Promise<IsOwn>) | undefined
  receivers: Receivers
  /** The memory for all requests. */
  memory: OutgoingMemory
  timeoutMs?: number | undefined
  /** Certificates of authorities to trust instead of the system's; for tests. */
  ca?: string | undefined
}

/**
 * Strangers choose the URLs, so that a request must not reach the operator's network. The host is resolved once, each address
 * is checked, and the connection goes to a checked address and no other: what a name resolves to later does not matter.
 * Redirects are responses like others. Proxies in the environment are ignored.
 */
export function createGuardedRequest(deps: GuardedRequestDeps): GuardedRequest {
  const { addressesOf, isAllowed = isPublic, ownNetworks = async () => () => false, timeoutMs = TIMEOUT_MS, ca } = deps
  return async (text, { method, headers = {}, body, signal, onConnect, ...of }) => {
    const url = new URL(text)
    const late = AbortSignal.timeout(timeoutMs)
    const outOfMemory = new AbortController()
    const ended = AbortSignal.any([signal, late, outOfMemory.signal])
    let leave = () => {}
    try {
      const found = Promise.all([addressesOf(url.hostname.replace(/^\[|\]$/g, '')), ownNetworks()])
      const allowed = onlyForeign(...(await until(ended, found)), isAllowed)
      onConnect?.()
      const entered = enter(deps, allowed, of, (reason) => outOfMemory.abort(reason))
      leave = entered.leave
      const tls = url.protocol === 'https:' && { rejectUnauthorized: true, ...(ca !== undefined && { ca }) }
      const lookup = lookupIn(entered.addresses)
      const options = { method, headers, lookup, maxHeaderSize: MAX_HEADER_BYTES, signal: ended, ...tls }
      return await exchange(url, options, body)
    } catch (error) {
      if (error instanceof RequestError || error instanceof NotNow) throw error
      outOfMemory.signal.throwIfAborted()
      if (late.aborted) throw new RequestError(`it did not respond in ${timeoutMs / 1000} seconds`, { cause: error })
      throw new RequestError(explain(error), { cause: error })
    } finally {
      leave()
    }
  }
}

type Sender = Pick<GuardedOptions, 'isSlow' | 'network'>

/**
 * Counts a request for what it takes of the memory, and of the machines that may get it.
 * @param giveWay ends it with what it is to reject with
 * @throws {NotNow} when there may be none now
 */
function enter(
  { memory, receivers }: GuardedRequestDeps,
  allowed: string[],
  of: Sender,
  giveWay: (reason: NotNow) => void,
) {
  const holder = { ...asHolder(clientOf(allowed[0] as string)), about: of.network || undefined }
  // Nothing has failed: its turn comes later, as that of whatever is over a share.
  const notNow = () => new NotNow(receivers.nextTry('memory', of.network))
  if (memory.isFull(holder)) throw notNow()
  const { addresses, leaves } = enterMachines(receivers, allowed, of)
  leaves.push(memory.enter(holder, () => giveWay(notNow())))
  return { addresses, leave: () => leaves.forEach((each) => each()) }
}

/**
 * Counts a request for each machine that may get it: which one does is known only once it is connected to.
 * @throws {NotNow} when none may have one now
 */
function enterMachines(receivers: Receivers, all: string[], { isSlow, network }: Sender) {
  const entered = new Map<string, () => void>()
  let full = ''
  for (const address of new Map(all.map((each) => [machineOf(each), each])).values()) {
    const leave = receivers.enterMachine(address, isSlow, network)
    if (typeof leave === 'string') full = leave
    else entered.set(machineOf(address), leave)
  }
  const addresses = all.filter((address) => entered.has(machineOf(address)))
  if (addresses.length === 0) throw new NotNow(receivers.refused(full, isSlow, network))
  return { addresses, leaves: [...entered.values()] }
}

/** @throws {RequestError} when there is none of others */
function onlyForeign(addresses: string[], isOwn: IsOwn, isAllowed: (address: string) => boolean): string[] {
  const allowed = addresses.filter(isAllowed)
  if (allowed.length === 0) throw new RequestError('its host has no public address')
  const foreign = allowed.filter((address) => !isOwn(address))
  if (foreign.length === 0) throw new OwnHostError('its host is this service, or a machine in its network')
  return foreign.slice(0, MAX_ADDRESSES)
}

function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && isPublicAddress(ipaddr.parse(address))
}

/** A look-up that knows only these addresses; an address as the host is connected to without a look-up. */
function lookupIn(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, callback) => {
    if (all === true) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
}

/** Rejects when the signal is aborted; the work continues, and its result is ignored. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    if (signal.aborted) reject(signal.reason as Error)
    work.then(resolve, reject)
  })
}

/** Resolves once the response has ended or as much of it was read as is read of any. */
function exchange(url: URL, options: RequestOptions, body: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Answer | undefined
    let failure: unknown = new Error('the connection was closed')
    const tls = url.protocol === 'https:' ? boundTls() : undefined
    const sent = tls
      ? requestHttps(url, { ...options, agent: tls.agent })
      : requestHttp(url, { ...options, agent: plainAgent() })
    sent.on('error', (error) => (failure = error))
    boundReading(sent, tls?.onDecrypted)
    sent.once('response', (response) => {
      const { 'retry-after': retryAfter } = response.headers
      answer = { status: response.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }) }
      discard(sent, response, options.method === 'POST' ? MAX_BODY_BYTES : 0)
      // That to HEAD has no body, and ends by itself.
      if (options.method === 'GET') sent.destroy()
    })
    sent.once('close', () => (answer === undefined ? reject(failure as Error) : resolve(answer)))
    sent.end(body)
  })
}

/** Ends a request whose response is larger, or comes in more parts, than is read of any: a status that has arrived counts. */
function boundReading(sent: ClientRequest, onBytes: (bytes: number) => void = () => {}): void {
  let [bytes, parts] = [0, 0]
  const end = () => void sent.destroy(new RequestError('its response is too large'))
  const countPart = () => {
    if (++parts > MAX_PARTS) end()
  }
  sent.on('information', countPart)
  sent.once('response', (response) => response.on('data', countPart))
  sent.once('socket', (socket) =>
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      onBytes(chunk.length)
      if (bytes > MAX_READ_BYTES) end()
    }),
  )
}

/** Reads a response up to a size, so that its sender sees no broken connection. */
function discard(sent: ClientRequest, response: IncomingMessage, maxBytes: number): void {
  let bytes = 0
  // The status has arrived, which decides.
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) sent.destroy()
  })
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  ENOTFOUND: 'its host does not exist',
  ETIMEOUT: 'the DNS servers of its host did not respond',
  ESERVFAIL: 'the DNS servers of its host failed',
  ETIMEDOUT: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  EHOSTUNREACH: 'it cannot be reached',
  HPE_HEADER_OVERFLOW: 'its response has too large headers',
}

function explain(error: unknown): string {
  // When all addresses of a host failed, the errors of each are inside.
  const { code = '', errors } = error as { code?: string; errors?: unknown[] }
  if (errors !== undefined && errors.length > 0) return explain(errors[0])
  const reason = ownValue(reasons, code)
  if (reason !== undefined) return reason
  if (code.startsWith('HPE_')) return 'its response is not HTTP'
  if (/CERT|SSL|TLS|SELF_SIGNED|ISSUER|EPROTO/.test(code)) return `its certificate or TLS is not valid (${code})`
  return `it cannot be reached (${code || 'connection failed'})`
}
