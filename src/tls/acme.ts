import type { KeyObject } from 'node:crypto'
import { reasonOf } from '../lib/reason-of.ts'
import { parseRetryAfter } from '../lib/retry-after.ts'
import { AcmeError, AuthorityAway, beforeOrder, parseJson, toAcmeError, type AcmeProblem } from './acme-error.ts'
import { publicJwk, signJws } from './jws.ts'

/** The resource URLs of an authority (RFC 8555, 7.1.1; RFC 9773, 3). */
export interface Directory {
  newNonce: string
  newAccount: string
  newOrder: string
  renewalInfo?: string
}

/** A successful response of the authority. */
export interface AcmeResponse {
  status: number
  /** The URL of the created resource. */
  location: string | undefined
  /** The value of Retry-After in milliseconds. */
  retryAfter: number | undefined
  text: string
}

/** The key that signs a request, with the account's URL once it is registered. */
export interface Signer {
  key: KeyObject
  account?: string
}

/** A client of one authority. */
export interface AcmeClient {
  directory: () => Promise<Directory>
  /**
   * Sends a signed request: a POST-as-GET when `payload` is undefined.
   * @throws {AcmeError} unless the response is successful
   * @throws the reason of the signal once that is aborted
   */
  post: (url: string, signer: Signer, payload: unknown, signal?: AbortSignal) => Promise<AcmeResponse>
  /** Sends an unsigned GET. @throws {AcmeError} */
  get: (url: string) => Promise<AcmeResponse>
}

const REQUEST_MS = 15_000
const DIRECTORY_MS = 60 * 60 * 1000

/** The authority may reject nonces as used or expired (RFC 8555, 6.5); pebble can reject two in five. */
const MAX_NONCE_TRIES = 20

/** Unused nonces to store; more would expire. */
const MAX_NONCES = 20

/** The largest response in bytes, decoded; a certificate chain has a few thousand. Beyond, it is not read. */
const MAX_RESPONSE = 1_000_000

interface Clocks {
  /** The time of day. */
  now: () => number
  /** A monotonic clock. */
  monotonic: () => number
}

/** The state of a client. */
interface Connection {
  directoryUrl: string
  fetch: typeof fetch
  clocks: Clocks
  nonces: string[]
  cached: { directory: Directory; until: number } | undefined
}

/**
 * @param directoryUrl the directory of the authority
 * @param request sends requests, such as `fetch`
 */
export function createAcmeClient(directoryUrl: string, request: typeof fetch, clocks: Clocks): AcmeClient {
  const connection: Connection = { directoryUrl, fetch: request, clocks, nonces: [], cached: undefined }
  return {
    directory: () => beforeOrder(getDirectory(connection)),
    get: (url) => send(connection, url, {}),
    async post(url, signer, payload, signal) {
      for (let tries = 1; ; tries++) {
        try {
          return await postOnce(connection, url, signer, payload, signal)
        } catch (error) {
          const isBadNonce = error instanceof AcmeError && error.type === 'badNonce'
          if (!isBadNonce || tries === MAX_NONCE_TRIES) throw error
        }
      }
    },
  }
}

async function getDirectory(connection: Connection): Promise<Directory> {
  const { clocks, cached, directoryUrl } = connection
  if (cached !== undefined && clocks.monotonic() < cached.until) return cached.directory
  const directory = parseJson((await send(connection, directoryUrl, {})).text) as Directory
  if (![directory.newNonce, directory.newAccount, directory.newOrder].every((url) => typeof url === 'string')) {
    throw new AuthorityAway('malformed', 'the directory is not that of an ACME server')
  }
  const { renewalInfo, ...others } = directory
  const usable = typeof renewalInfo === 'string' ? directory : others
  connection.cached = { directory: usable, until: clocks.monotonic() + DIRECTORY_MS }
  return usable
}

async function takeNonce(connection: Connection): Promise<string> {
  const spare = connection.nonces.pop()
  if (spare !== undefined) return spare
  await send(connection, (await getDirectory(connection)).newNonce, { method: 'HEAD' })
  return connection.nonces.pop() ?? ''
}

async function postOnce(
  connection: Connection,
  url: string,
  { key, account }: Signer,
  payload: unknown,
  signal?: AbortSignal,
): Promise<AcmeResponse> {
  const identity = account === undefined ? { jwk: publicJwk(key) } : { kid: account }
  const body = signJws(key, { nonce: await beforeOrder(takeNonce(connection)), url, ...identity }, payload)
  return send(connection, url, { method: 'POST', body, headers: { 'content-type': 'application/jose+json' } }, signal)
}

interface SendInit {
  method?: string
  body?: string
  headers?: Record<string, string>
}

async function send(
  { fetch, nonces, clocks }: Connection,
  url: string,
  init: SendInit,
  signal?: AbortSignal,
): Promise<AcmeResponse> {
  const host = hostOf(url)
  const timeout = AbortSignal.timeout(REQUEST_MS)
  let response: Response
  let text: string | undefined
  try {
    response = await fetch(url, {
      ...init,
      headers: { 'user-agent': 'quirl', ...init.headers },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    })
    text = await readText(response)
  } catch (error) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no answer in ${REQUEST_MS / 1000} seconds` : reasonOf(error)
    throw new AuthorityAway('unreachable', `${host}: ${reason}`, { cause: error })
  }
  const nonce = response.headers.get('replay-nonce')
  if (nonce !== null && nonces.length < MAX_NONCES) nonces.push(nonce)
  const retryAfter = parseRetryAfter(response.headers.get('retry-after'), clocks.now())
  if (!response.ok) throw failure(response.status, text ?? '', retryAfter)
  if (text === undefined) throw new AuthorityAway('malformed', 'the response is too long')
  return { status: response.status, location: response.headers.get('location') ?? undefined, retryAfter, text }
}

/** @throws {AuthorityAway} for what is no address of an authority (RFC 8555, 6.1) */
function hostOf(url: string): string {
  const { protocol, host } = URL.parse(url) ?? {}
  if (protocol !== 'https:' || host === undefined) throw new AuthorityAway('malformed', 'it names no https address')
  return host
}

/** @returns undefined for one that is too long, of which the rest is not read: it may have no end, or expand a thousandfold */
async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function failure(status: number, text: string, retryAfter: number | undefined): AcmeError {
  let problem: AcmeProblem | null = null
  try {
    problem = JSON.parse(text) as AcmeProblem | null
  } catch {
    // The response is not from the authority, but from a proxy in between.
  }
  return toAcmeError(problem, `status ${status}`, 'the authority gives no reason', { status, retryAfter })
}
