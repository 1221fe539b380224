/** The authority refused a request, or cannot be reached. */
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

/** A problem document of the authority (RFC 9457). */
export interface AcmeProblem {
  type?: string
  detail?: string
}

/** @param type the fallback when the problem has no type */
export function toAcmeError(
  problem: AcmeProblem | undefined,
  type: string,
  detail: string,
  retryAfter?: number,
): AcmeError {
  const own = problem?.type?.replace(/^urn:ietf:params:acme:error:/, '')
  return new AcmeError(own ?? type, problem?.detail ?? detail, { retryAfter })
}

/** Parses a response of the authority. @throws {AcmeError} for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AcmeError('malformed', 'the response is not JSON', { cause: error })
  }
}
