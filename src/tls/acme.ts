import type { KeyObject } from 'node:crypto'
import { publicJwk, signJws } from './jws.ts'

/** Where an authority takes what (RFC 8555, 7.1.1; RFC 9773, 3). */
export interface Directory {
  newNonce: string
  newAccount: string
  newOrder: string
  renewalInfo?: string
}

/** An answer of the authority. */
export interface AcmeAnswer {
  status: number
  /** The address of what was made. */
  location: string | undefined
  /** How long to wait before asking again, in milliseconds. */
  retryAfter: number | undefined
  text: string
}

/** What the authority refuses, or that it cannot be reached. */
export class AcmeError extends Error {
  /** The last part of RFC 8555's `urn:ietf:params:acme:error:…`, or `unreachable`. */
  readonly type: string
  readonly detail: string
  readonly retryAfter: number | undefined

  constructor(type: string, detail: string, more: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super(`${type}: ${detail}`, { cause: more.cause })
    this.type = type
    this.detail = detail
    this.retryAfter = more.retryAfter
  }
}

/** Who signs: the key itself for a new account, afterwards the account's address. */
export interface Signer {
  key: KeyObject
  account?: string
}

/** Speaks to one authority. */
export interface AcmeClient {
  directory: () => Promise<Directory>
  /**
   * Sends a signed request; `payload` undefined reads.
   * @throws {AcmeError} for every answer that is not a success
   */
  post: (url: string, signer: Signer, payload: unknown, signal?: AbortSignal) => Promise<AcmeAnswer>
  /** Reads without a signature. @throws {AcmeError} */
  get: (url: string) => Promise<AcmeAnswer>
}

interface SendInit {
  method?: string
  body?: string
  headers?: Record<string, string>
}

const REQUEST_MS = 15_000
const DIRECTORY_MS = 60 * 60 * 1000

/** A nonce may have been used up or forgotten (RFC 8555, 6.5); pebble refuses two in five on request. */
const MAX_NONCE_TRIES = 20

/** Spare nonces that are kept; more would go stale. */
const MAX_NONCES = 20

/** The largest answer that is read, in characters: a chain of certificates is a few thousand. */
const MAX_ANSWER = 1_000_000

interface Clocks {
  /** The time of day. */
  now: () => number
  /** A clock that never goes back. */
  monotonic: () => number
}

/** @param directoryUrl of the authority; @param request how to reach it, `fetch` for one */
export function createAcmeClient(directoryUrl: string, request: typeof fetch, clocks: Clocks): AcmeClient {
  const nonces: string[] = []
  let known: { directory: Directory; until: number } | undefined

  async function send(url: string, init: SendInit, signal?: AbortSignal): Promise<AcmeAnswer> {
    const limit = AbortSignal.timeout(REQUEST_MS)
    let response: Response
    let text: string
    try {
      response = await request(url, {
        ...init,
        headers: { 'user-agent': 'quirl', ...init.headers },
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      })
      text = await response.text()
    } catch (error) {
      throw new AcmeError('unreachable', `${new URL(url).host} does not answer`, { cause: error })
    }
    const nonce = response.headers.get('replay-nonce')
    if (nonce !== null && nonces.length < MAX_NONCES) nonces.push(nonce)
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), clocks.now())
    if (!response.ok) throw refusal(response.status, text, retryAfter)
    if (text.length > MAX_ANSWER) throw new AcmeError('malformed', 'the answer is too long')
    return { status: response.status, location: response.headers.get('location') ?? undefined, retryAfter, text }
  }

  async function directory(): Promise<Directory> {
    if (known !== undefined && clocks.monotonic() < known.until) return known.directory
    const found = parse((await send(directoryUrl, {})).text) as Directory
    if (![found.newNonce, found.newAccount, found.newOrder].every((url) => typeof url === 'string')) {
      throw new AcmeError('malformed', 'the directory is not that of an ACME server')
    }
    known = { directory: found, until: clocks.monotonic() + DIRECTORY_MS }
    return found
  }

  async function nonce(): Promise<string> {
    const spare = nonces.pop()
    if (spare !== undefined) return spare
    await send((await directory()).newNonce, { method: 'HEAD' })
    return nonces.pop() ?? ''
  }

  async function attempt(url: string, { key, account }: Signer, payload: unknown, signal?: AbortSignal) {
    const identity = account === undefined ? { jwk: publicJwk(key) } : { kid: account }
    const body = signJws(key, { nonce: await nonce(), url, ...identity }, payload)
    return send(url, { method: 'POST', body, headers: { 'content-type': 'application/jose+json' } }, signal)
  }

  return {
    directory,
    get: (url) => send(url, {}),
    async post(url, signer, payload, signal) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(url, signer, payload, signal)
        } catch (error) {
          const isNonce = error instanceof AcmeError && error.type === 'badNonce'
          if (!isNonce || tries === MAX_NONCE_TRIES) throw error
        }
      }
    },
  }
}

/** The JSON of an answer. @throws {AcmeError} when it is none */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AcmeError('malformed', 'the answer is not JSON', { cause: error })
  }
}

/** An error in the words of the authority (RFC 9457), which may name the fault of each identifier apart. */
interface AcmeProblem {
  type?: string
  detail?: string
}

function refusal(status: number, text: string, retryAfter: number | undefined): AcmeError {
  let problem: AcmeProblem = {}
  try {
    problem = JSON.parse(text) as AcmeProblem
  } catch {
    // Some proxy in between has answered.
  }
  const type = problem.type?.replace(/^urn:ietf:params:acme:error:/, '') ?? `status ${status}`
  return new AcmeError(type, problem.detail ?? 'the authority gives no reason', { retryAfter })
}

/** Milliseconds, from seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
