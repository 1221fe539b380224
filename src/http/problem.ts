/** The code, status and title of every error that quirl returns. */
const catalogue = {
  malformed_json: [400, 'The body is not valid JSON'],
  malformed_csv: [400, 'The CSV is not valid'],
  invalid_request: [400, 'The request is not valid'],
  nothing_created: [400, 'No link was created'],
  nothing_changed: [400, 'No link was changed'],
  key_required: [401, 'Creation needs the access code of this service'],
  creation_closed: [403, 'Nothing can be created here'],
  forbidden: [403, 'Access is not allowed'],
  foreign_form: [403, 'Another site has sent this form'],
  wrong_password: [403, 'The password is wrong'],
  unscannable: [400, 'The image cannot be scanned'],
  not_found: [404, 'There is nothing at this address'],
  tls_required: [403, 'This needs HTTPS'],
  not_admitted: [403, 'This name cannot have a certificate'],
  unknown_code: [404, 'There is no such code'],
  unknown_token: [404, 'There is no link for this token'],
  unknown_revision: [404, 'The link has no such revision'],
  unknown_domain: [404, 'There is no such domain'],
  unknown_share: [404, 'There is no such share'],
  request_timeout: [408, 'The request took too long to arrive'],
  method_not_allowed: [405, 'This address does not support this method'],
  alias_taken: [409, 'The alias is taken'],
  alias_reserved: [409, 'The alias is reserved'],
  link_removed: [409, 'The link was blocked for abuse'],
  too_many_domains: [409, 'There are too many active names under one domain'],
  too_many_shares: [409, 'The link has too many shares'],
  code_gone: [410, 'This code is gone'],
  link_ended: [410, 'The link has ended'],
  code_removed: [410, 'This code was blocked'],
  precondition_failed: [412, 'The link has changed in the meantime'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The format of the body is not supported'],
  misdirected: [421, 'This host is not served here'],
  expectation_failed: [417, 'The expectation cannot be met'],
  target_blocked: [422, 'The destination is listed as malware or phishing'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used for another request'],
  rate_limited: [429, 'Too many requests'],
  headers_too_large: [431, 'The headers are too large'],
  code_removed_by_law: [451, 'This code was blocked following a legal order'],
  internal_error: [500, 'Something went wrong on our side'],
  not_implemented: [501, 'This method is not supported'],
  unavailable: [503, 'The service cannot do this right now'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export { catalogue }

export type ProblemCode = keyof typeof catalogue

/** An invalid field. `pointer` is a JSON Pointer (RFC 6901) into the body, or the parameter's name after `/`. */
export interface FieldError {
  pointer: string
  detail: string
  [REASON]?: Reason
}

/** The key of an error's reason: a symbol, which JSON leaves out, as the API has only `detail`. */
export const REASON = Symbol('reason')

/** Why a field is invalid, for pages, which say it in the reader's language. */
export interface Reason {
  name: (typeof reasonNames)[number]
  /** The most characters or items. */
  limit?: number
}

export const reasonNames = [
  'required',
  'pattern',
  'too_long',
  'too_many',
  'taken',
  'reserved',
  'cut',
  'rows_cut',
  'url_characters',
  'url_scheme',
  'url_login',
  'url_syntax',
  'url_host',
  'url_private',
  'url_loop',
  'blocked',
  'day',
  'before_start',
  'timezone',
] as const

/** An error response. Thrown anywhere; `error-handler.ts` sends it. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: FieldError[]
  readonly headers: Record<string, string>
  /** Further members of the body (RFC 9457, 3.2). */
  readonly members: object

  constructor(
    code: ProblemCode,
    detail: string,
    extra: { errors?: FieldError[]; headers?: Record<string, string>; members?: object; cause?: unknown } = {},
  ) {
    super(detail, { cause: extra.cause })
    this.code = code
    this.errors = extra.errors ?? []
    // Whoever is refused for a while is always told for how long.
    this.headers = { ...(code === 'unavailable' && { 'retry-after': '5' }), ...extra.headers }
    this.members = extra.members ?? {}
  }

  get status(): number {
    return catalogue[this.code][0]
  }

  get title(): string {
    return catalogue[this.code][1]
  }
}

/** Errors that one response lists at most. */
export const MAX_ERRORS = 100

/** A 400 for invalid fields. Its detail is the first of them, so that clients can show it alone. */
export function invalidRequest(errors: FieldError[]): Problem {
  const [first] = errors
  const where = first?.pointer === '' ? 'the body' : first?.pointer
  const detail = `${where} ${first?.detail}${moreThanOne(errors.length)}`
  return new Problem('invalid_request', detail, { errors: errors.slice(0, MAX_ERRORS) })
}

function moreThanOne(count: number): string {
  if (count <= 1) return ''
  return count > MAX_ERRORS ? ` (and more than ${MAX_ERRORS - 1} more)` : ` (and ${count - 1} more)`
}

/** The body of an error response, `application/problem+json` (RFC 9457). Its type is a URL that lists the catalogue. */
export function problemBody(problem: Problem, requestId: string): string {
  return JSON.stringify(problemMembers(problem, requestId))
}

/** The same before it is written. */
export function problemMembers(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `/api/problems#${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors.length > 0 && { errors: problem.errors }),
    ...problem.members,
  }
}
