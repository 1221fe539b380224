import { AcmeError, parse, type AcmeClient, type Signer } from './acme.ts'
import { thumbprint } from './jws.ts'

/** Where answers to the authority's challenges are put, for whichever process it asks. */
export interface Challenges {
  /** Answers HTTP-01 (RFC 8555, 8.3) for a token, or TLS-ALPN-01 (RFC 8737) for a name, from now on. */
  put: (tokenOrName: string, keyAuthorization: string) => Promise<void>
  remove: (tokenOrName: string) => Promise<void>
}

/** Rests for some milliseconds; rejects when the signal is aborted. */
export type Sleep = (ms: number, options: { signal: AbortSignal }) => Promise<unknown>

/** How the authority is to be convinced: on port 80, or on port 443. */
export type ChallengeType = 'http-01' | 'tls-alpn-01'

export interface OrderRequest {
  name: string
  /** The request for the certificate, DER. */
  csr: Buffer
  /** The identifier of the certificate that this one replaces (RFC 9773, 5). */
  replaces?: string | undefined
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
  error?: Problem
}

interface Problem {
  type?: string
  detail?: string
}

interface Authorization {
  status: string
  challenges: { type: string; url: string; token: string; error?: Problem }[]
}

/** Polls come after these times at first, in milliseconds, however long the authority would have us wait. */
const FIRST_POLLS = [30, 60, 120, 250]
const MAX_POLL_MS = 5000

/**
 * Orders a certificate and answers what the authority asks to see first (RFC 8555, 7.4).
 * @returns the chain, PEM
 * @throws {AcmeError}
 */
export async function orderCertificate(
  deps: OrderDeps,
  signer: Signer & { account: string },
  request: OrderRequest & { challenge: ChallengeType },
  signal: AbortSignal,
): Promise<string> {
  const { client } = deps
  const read = async (url: string) => {
    const answer = await client.post(url, signer, undefined, signal)
    return { value: parse(answer.text), retryAfter: answer.retryAfter }
  }
  const { url, order } = await placeOrder(client, signer, request, signal)
  for (const authorization of order.authorizations) {
    await authorize(deps, signer, request, () => read(authorization), signal)
  }
  const readOrder = () => read(url)
  const ready = await poll(deps, readOrder, ({ status }: Order) => status !== 'pending', signal)
  if (ready.status === 'ready') {
    await client.post(ready.finalize, signer, { csr: request.csr.toString('base64url') }, signal)
  }
  const isOver = ({ status }: Order) => status === 'valid' || status === 'invalid'
  const done = await poll(deps, readOrder, isOver, signal)
  if (done.certificate === undefined) throw toError(done.error, 'the order is invalid')
  return (await client.post(done.certificate, signer, undefined, signal)).text
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
    if (location === undefined) throw new AcmeError('malformed', 'the order has no address')
    return { url: location, order: parse(text) as Order }
  }
  if (replaces === undefined) return place({})
  try {
    return await place({ replaces })
  } catch (error) {
    // It was replaced already, or the authority does not know it: a certificate is wanted all the same.
    if (!(error instanceof AcmeError) || !['alreadyReplaced', 'malformed'].includes(error.type)) throw error
    return place({})
  }
}

type Read = () => Promise<{ value: unknown; retryAfter: number | undefined }>

async function authorize(
  deps: OrderDeps,
  signer: Signer,
  request: { name: string; challenge: ChallengeType },
  read: Read,
  signal: AbortSignal,
): Promise<void> {
  const value = (await read()).value as Authorization
  if (value.status === 'valid') return
  const challenge = value.challenges.find(({ type }) => type === request.challenge)
  if (challenge === undefined)
    throw new AcmeError('unsupported', `the authority offers no ${request.challenge} challenge`)
  const place = request.challenge === 'http-01' ? challenge.token : request.name
  await deps.challenges.put(place, `${challenge.token}.${thumbprint(signer.key)}`)
  try {
    await deps.client.post(challenge.url, signer, {}, signal)
    const done = await poll(deps, read, ({ status }: Authorization) => status !== 'pending', signal)
    if (done.status === 'valid') return
    throw toError(
      done.challenges.find(({ error }) => error !== undefined)?.error,
      `the authorization is ${done.status}`,
    )
  } finally {
    await deps.challenges.remove(place)
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
    await sleep(FIRST_POLLS[tries] ?? Math.min(retryAfter ?? 1000, MAX_POLL_MS), { signal })
  }
}

function toError(problem: Problem | undefined, fallback: string): AcmeError {
  const type = problem?.type?.replace(/^urn:ietf:params:acme:error:/, '') ?? 'invalid'
  return new AcmeError(type, problem?.detail ?? fallback)
}
