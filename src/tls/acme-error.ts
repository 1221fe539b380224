interface AcmeErrorMore {
  /** The status of the response that was an error. */
  status?: number | undefined
  /** In milliseconds. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** The authority refused a request, or cannot be reached. */
export class AcmeError extends Error {
  /** The last part of RFC 8555's `urn:ietf:params:acme:error:…`, or `unreachable`. */
  readonly type: string
  readonly detail: string
  readonly status: number | undefined
  readonly retryAfter: number | undefined

  constructor(type: string, detail: string, more: AcmeErrorMore = {}) {
    super(`${type}: ${detail}`, { cause: more.cause })
    this.type = type
    this.detail = detail
    this.status = more.status
    this.retryAfter = more.retryAfter
  }
}

/** The authority issues nothing at present, for whichever name: it cannot be reached, or what answers is no ACME server. */
export class AuthorityAway extends AcmeError {}

/** Does what comes before an order, and is about no name. @throws {AuthorityAway} for each error of the authority */
export async function beforeOrder<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AcmeError) || error instanceof AuthorityAway) throw error
    throw new AuthorityAway(error.type, error.detail, error)
  }
}

/** A problem document of the authority (RFC 9457). */
export interface AcmeProblem {
  type?: string
  detail?: string
}

/** @param type the fallback when the problem has no type */
export function toAcmeError(
  problem: AcmeProblem | null | undefined,
  type: string,
  detail: string,
  more?: AcmeErrorMore,
): AcmeError {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const own = text(problem?.type)?.replace(/^urn:ietf:params:acme:error:/, '')
  return new AcmeError(own ?? type, text(problem?.detail) ?? detail, more)
}

/** Parses a response of the authority. @throws {AuthorityAway} unless it is a JSON object: something in between has answered */
export function parseJson(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AuthorityAway('malformed', 'the response is not JSON', { cause: error })
  }
  if (typeof value !== 'object' || value === null)
    throw new AuthorityAway('malformed', 'the response is no JSON object')
  return value
}
