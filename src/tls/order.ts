import { AcmeError, AuthorityAway, parseJson, toAcmeError, type AcmeProblem } from './acme-error.ts'
import type { AcmeClient, Signer } from './acme.ts'
import { thumbprint } from './jws.ts'
import type { Purpose } from './issuance-store.ts'
import type { Sleep } from './order-limiter.ts'

/** The responses to challenges, which every process on the store can serve. */
export interface Challenges {
  /** Adds the response to HTTP-01 (RFC 8555, 8.3) for a token, or to TLS-ALPN-01 (RFC 8737) for a name. */
  put: (tokenOrName: string, keyAuthorization: string) => Promise<void>
  remove: (tokenOrName: string) => Promise<void>
}

/** Validation on port 80, or on port 443. */
export type ChallengeType = 'http-01' | 'tls-alpn-01'

export interface OrderRequest {
  name: string
  /** The certificate signing request, DER. */
  csr: Buffer
  /** The identifier of the certificate that the new one replaces (RFC 9773, 5). */
  replaces?: string | undefined
  purpose: Purpose
}

export interface OrderDeps {
  client: AcmeClient
  challenges: Challenges
  sleep: Sleep
}

interface Order {
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
  authorizations: string[]
  finalize: string
  certificate?: string
  error?: AcmeProblem
}

interface Authorization {
  status: string
  challenges: { type: string; url: string; token: string; error?: AcmeProblem }[]
}

/** The first polling intervals in milliseconds; later ones follow Retry-After, within bounds. */
const FIRST_POLLS_MS = [30, 60, 120, 250]
const POLL_MS = { min: 250, usual: 1000, max: 5000 }
/** After so many tries, an authority that names no time is asked less often: many slow orders may be under way. */
const SLOW_TRIES = 15
const SLOW_MS = 3000

/** What an authority has issued. */
export interface Ordered {
  /** PEM. */
  chain: string
  /** Whether it has validated the challenge for this order: it may go by what it has seen in the weeks before. */
  isValidated: boolean
}

/**
 * Orders a certificate and completes its challenges (RFC 8555, 7.4).
 * @throws {AcmeError}
 */
export async function orderCertificate(
  deps: OrderDeps,
  signer: Signer & { account: string },
  request: OrderRequest & { challenge: ChallengeType },
  signal: AbortSignal,
): Promise<Ordered> {
  const { client } = deps
  let isValidated = false
  const read = async (url: string) => {
    const response = await client.post(url, signer, undefined, signal)
    return { value: parseJson(response.text), retryAfter: response.retryAfter }
  }
  const { url, order } = await placeOrder(client, signer, request, signal)
  for (const authorization of order.authorizations) {
    if (await authorize(deps, signer, request, () => read(authorization), signal)) isValidated = true
  }
  const readOrder = () => read(url)
  const ready = await poll(deps, readOrder, ({ status }: Order) => status !== 'pending', signal)
  if (ready.status === 'ready') {
    await client.post(ready.finalize, signer, { csr: request.csr.toString('base64url') }, signal)
  }
  const isFinal = ({ status }: Order) => status === 'valid' || status === 'invalid'
  const final = await poll(deps, readOrder, isFinal, signal)
  if (final.certificate === undefined) throw toAcmeError(final.error, 'invalid', 'the order is invalid')
  const { text: chain } = await client.post(final.certificate, signer, undefined, signal)
  return { chain, isValidated }
}

async function placeOrder(
  client: AcmeClient,
  signer: Signer,
  { name, replaces }: OrderRequest,
  signal: AbortSignal,
): Promise<{ url: string; order: Order }> {
  const { newOrder } = await client.directory()
  const identifiers = [{ type: 'dns', value: name }]
  const place = async (more: object) => {
    const { location, text } = await client.post(newOrder, signer, { identifiers, ...more }, signal)
    if (location === undefined) throw new AuthorityAway('malformed', 'the order has no URL')
    const order = parseJson(text) as Order
    if (!Array.isArray(order.authorizations)) throw new AuthorityAway('malformed', 'the order has no authorizations')
    return { url: location, order }
  }
  if (replaces === undefined) return place({})
  try {
    return await place({ replaces })
  } catch (error) {
    // Already replaced, or unknown to the authority: order without reference to it.
    if (!(error instanceof AcmeError) || error instanceof AuthorityAway) throw error
    if (!['alreadyReplaced', 'malformed'].includes(error.type)) throw error
    return place({})
  }
}

type Read = () => Promise<{ value: unknown; retryAfter: number | undefined }>

/** @returns whether the authority has validated the challenge now */
async function authorize(
  deps: OrderDeps,
  signer: Signer,
  request: { name: string; challenge: ChallengeType },
  read: Read,
  signal: AbortSignal,
): Promise<boolean> {
  const value = (await read()).value as Authorization
  if (value.status === 'valid') return false
  if (!Array.isArray(value.challenges)) throw new AuthorityAway('malformed', 'the authorization has no challenges')
  const challenge = value.challenges.find(({ type }) => type === request.challenge)
  if (challenge === undefined)
    throw new AcmeError('unsupported', `the authority offers no ${request.challenge} challenge`)
  const key = request.challenge === 'http-01' ? challenge.token : request.name
  await deps.challenges.put(key, `${challenge.token}.${thumbprint(signer.key)}`)
  try {
    await deps.client.post(challenge.url, signer, {}, signal)
    const final = await poll(deps, read, ({ status }: Authorization) => status !== 'pending', signal)
    if (final.status === 'valid') return true
    const failed = final.challenges.find(({ error }) => error !== undefined)
    throw toAcmeError(failed?.error, 'invalid', `the authorization is ${final.status}`)
  } finally {
    await deps.challenges.remove(key)
  }
}

async function poll<T>(
  { sleep }: OrderDeps,
  read: Read,
  isDone: (value: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    const { value, retryAfter } = await read()
    if (isDone(value as T)) return value as T
    const usual = tries < SLOW_TRIES ? POLL_MS.usual : SLOW_MS
    const asked = Math.max(POLL_MS.min, Math.min(retryAfter ?? usual, POLL_MS.max))
    await sleep(FIRST_POLLS_MS[tries] ?? asked, { signal })
  }
}
