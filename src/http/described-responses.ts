import { isDeepStrictEqual } from 'node:util'
import type { RouteOptions } from 'fastify'
import { requestNotices } from './openapi-notices.ts'
import { CODES, describeCodes, problemSchema } from './problem-schema.ts'
import { catalogue, type ProblemCode } from './problem.ts'
import { isCharged, refusalsOfSchema } from './refusals.ts'
import { headerReferences, responseHeaders, type ResponseHeader } from './response-headers.ts'

type Content = Record<string, { schema: object }>

/** A response of an operation in an OpenAPI document. */
export interface DescribedResponse {
  description: string
  headers?: Record<string, object>
  content?: Content
}

/** A response in the schema of a route. */
interface RouteResponse {
  [CODES]?: ProblemCode[]
  headers?: Record<string, object>
  content?: Content
}

/** Error responses that operations share, by name. */
export type SharedResponses = Map<string, DescribedResponse>

const quotaHeaders: ResponseHeader[] = ['RateLimit', 'RateLimit-Policy']

/** The errors that have further headers. */
const problemHeaders: Partial<Record<ProblemCode, ResponseHeader[]>> = {
  rate_limited: [...quotaHeaders, 'Retry-After'],
  unknown_code: quotaHeaders,
  unknown_token: quotaHeaders,
  collection_not_found: quotaHeaders,
  unavailable: ['Retry-After'],
  key_required: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  code_removed_by_law: ['Link'],
}

/** Who guesses these is refused when a quota is used up, whatever the route. */
const guessed: ProblemCode[] = ['unknown_code', 'unknown_token', 'collection_not_found']

/** Errors of what comes before the routes: no page is sent, and no quota was charged. */
const beforeRoutes: ReadonlySet<ProblemCode> = new Set([
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
  'misdirected',
  'tls_required',
])

const comeBeforeRoutes = (codes: ProblemCode[]) => codes.every((code) => beforeRoutes.has(code))

const inOrder = Object.keys(catalogue) as ProblemCode[]

/**
 * Completes the responses of an operation: with the errors that the rest of the server answers in place of the route, with
 * the headers of all, and with the codes of each error.
 * @param described what the schema of the route has
 * @param shared error responses of all operations, to which new ones are added
 */
export function describeResponses(
  route: RouteOptions,
  described: Record<string, DescribedResponse>,
  shared: SharedResponses,
): Record<string, object> {
  const own = (route.schema?.response ?? {}) as Record<string, RouteResponse>
  const successes = Object.entries(described).filter(([status]) => own[status]?.[CODES] === undefined)
  const errors = [...Map.groupBy(codesOf(route, own), (code) => catalogue[code][0])]
  return Object.fromEntries([
    ...successes.map(([status]) => [status, describeSuccess(route, status, described)]),
    ...(route.config?.movesToHttps === true ? [[308, movedToHttps]] : []),
    ...errors.map(([status, codes]) => {
      // Few errors have a body of their own.
      const content = own[status]?.content && described[status]?.content
      const error = describeError(route, codes, content, own[status]?.headers)
      return [status, content === undefined ? share(error, codes, shared) : error]
    }),
  ]) as Record<string, object>
}

/** The headers that every response of a route may have. */
function ownHeadersOf(route: RouteOptions): ResponseHeader[] {
  return [...(isCharged(route) ? quotaHeaders : []), ...(route.config?.hasNotices === true ? requestNotices : [])]
}

const movedToHttps: DescribedResponse = {
  description: 'The same address over HTTPS, where the service has HTTPS of its own.',
  headers: headerReferences(['Location']),
}

/** Every code that a request to the route can get, in the order of the catalogue. */
function codesOf(route: RouteOptions, own: Record<string, RouteResponse>): ProblemCode[] {
  const codes = new Set([
    ...Object.values(own).flatMap((response) => response[CODES] ?? []),
    ...(route.config?.refusals ?? []),
    ...refusalsOfSchema(route),
  ])
  if (isCharged(route) || guessed.some((code) => codes.has(code))) codes.add('rate_limited')
  return inOrder.filter((code) => codes.has(code))
}

/** Browsers get errors as pages; those of the API are for programs. */
function pageOf({ url }: RouteOptions, codes: ProblemCode[]): Content {
  const isPage = !url.startsWith('/api/') && !comeBeforeRoutes(codes)
  return isPage ? { 'text/html': { schema: { type: 'string' } } } : {}
}

function describeError(
  route: RouteOptions,
  codes: ProblemCode[],
  content = pageOf(route, codes),
  further: object = {},
): DescribedResponse {
  const { 'application/problem+json': { schema } = { schema: problemSchema }, ...others } = content
  return {
    description: describeCodes(codes),
    ...headersOf([
      ...(comeBeforeRoutes(codes) ? [] : ownHeadersOf(route)),
      ...codes.flatMap((code) => problemHeaders[code] ?? []),
      ...Object.keys(further),
    ]),
    content: {
      'application/problem+json': {
        schema: { allOf: [schema, { type: 'object', properties: { code: { enum: codes } } }] },
      },
      ...others,
    },
  }
}

/** Defines an error response by its codes, and by what else differs between operations; returns a reference to it. */
function share(response: DescribedResponse, codes: ProblemCode[], shared: SharedResponses): object {
  const isCounted = response.headers !== undefined && 'RateLimit' in response.headers
  const isAlwaysCounted = codes.some((code) => problemHeaders[code]?.includes('RateLimit'))
  const isPage = response.content?.['text/html'] !== undefined
  const name = `${codes.join('-or-')}${isCounted && !isAlwaysCounted ? '-counted' : ''}${isPage ? '-page' : ''}`
  const known = shared.get(name) ?? response
  if (!isDeepStrictEqual(known, response)) throw new Error(`two error responses have the name ${name}`)
  shared.set(name, response)
  return { $ref: `#/components/responses/${name}` }
}

function describeSuccess(
  route: RouteOptions,
  status: string,
  described: Record<string, DescribedResponse>,
): DescribedResponse {
  // RFC 9110, 15.4.5: a 304 has what the 200 would have, but no name for a file.
  const named = Object.keys(described[status === '304' ? '200' : status]?.headers ?? {})
  const kept = status === '304' ? named.filter((name) => name !== 'Content-Disposition') : named
  const warning = route.config?.hasNotices === true ? ['Quirl-Warning'] : []
  return { ...described[status], ...headersOf([...kept, ...ownHeadersOf(route), ...warning]) } as DescribedResponse
}

function headersOf(names: Iterable<string>): { headers?: Record<string, object> } {
  const known = Object.keys(responseHeaders).filter((name) => new Set<string>(names).has(name))
  return known.length === 0 ? {} : { headers: headerReferences(known) }
}
