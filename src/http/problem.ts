import { catalogue } from './problem-catalogue.ts'

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
  /** The most characters or items, or the millimetres that are needed. */
  limit?: number
  /** Which characters it is about. */
  text?: string
  /** Which of several links it is about, by its code. */
  of?: string
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
  'no_room',
  'modules',
  'unprintable',
  'invisible',
  'unscannable',
  'measures',
  'label',
  'offset',
  'no_links',
  'too_many_codes',
  'link_deleted',
  'link_blocked',
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
