import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serviceUrlOf, warningsOf, warnOfLocalUrl } from './local-address.ts'
import { MAX_UNKNOWN, type Unknown } from './members.ts'
import { outsideRows, readBody, readQuery, type UnknownInput } from './unknown-input.ts'
import type { Warning } from './warnings.ts'

/** What the service says about a request or a response besides what was asked. */
interface Notices {
  ignored?: string[]
  warnings?: Warning[]
}

/** Bytes of the header `Quirl-Ignored`. */
const MAX_HEADER = 1024

/**
 * Says of each request to `api` what its route does not know, by the schema of the route: in the member `ignored` of a
 * response that is an object, and whatever it is in the header `Quirl-Ignored`. With `Prefer: handling=strict` such a
 * request is refused; a row by itself. Says, too, when the URLs in a response are of no use to others.
 */
export function addNotices(api: FastifyInstance): void {
  api.addHook('onRoute', (route) => {
    route.config = { ...route.config, hasNotices: true }
  })
  api.decorateRequest('unknownInput')
  api.decorateRequest('warnings')
  api.decorateRequest('rowWarnings')
  api.addHook('onRequest', (request, reply, done) => {
    readQuery(request, reply)
    done()
  })
  // After the body is read, and before the validator drops the parameters that it does not know.
  api.addHook('preValidation', readBody)
  api.addHook('preSerialization', async (request, reply, payload) => {
    if (!isRecord(payload)) return payload
    warnOfUrls(reply, payload)
    return withNotices(request, payload)
  })
  api.addHook('onSend', ({ unknownInput: input }, reply, payload, done) => {
    const header = input === undefined || input.isStrict ? '' : headerOf(input)
    if (header !== '') reply.header('quirl-ignored', header)
    done(null, payload)
  })
}

/** The value of the header: as many whole pointers as fit, those of rows from the top of the body. */
function headerOf(input: UnknownInput): string {
  const ignored = outsideRows(input).map(({ pointer }) => pointer)
  for (const [at, unknown] of input.rows) {
    if (ignored.length >= MAX_UNKNOWN) break
    ignored.push(...unknown.map(({ pointer }) => `${input.rowsAt}/${at}${pointer}`))
  }
  let header = ''
  for (const pointer of ignored.slice(0, MAX_UNKNOWN)) {
    const longer = (header === '' ? '' : `${header},`) + encodePointer(pointer)
    if (longer.length > MAX_HEADER) break
    header = longer
  }
  return header
}

/** Percent-encodes whatever a header cannot have, and commas; slashes and the mark of a parameter stay readable. */
function encodePointer(pointer: string): string {
  return encodeURIComponent(pointer).replaceAll('%2F', '/').replaceAll('%3F', '?')
}

/** What the response to a request says of input that was ignored. */
export function ignoredOf({ unknownInput: input }: FastifyRequest): Pick<Notices, 'ignored'> {
  if (input === undefined || input.isStrict) return {}
  return listOf(outsideRows(input))
}

function listOf(unknown: Unknown[]): Pick<Notices, 'ignored'> {
  return unknown.length === 0 ? {} : { ignored: unknown.map(({ pointer }) => pointer) }
}

/** A response with what is to be said about it, and about each of its rows. */
export function withNotices(request: FastifyRequest, response: Record<string, unknown>): Record<string, unknown> {
  const { unknownInput: input } = request
  if (input === undefined) return response
  const noticed = { ...response, ...ignoredOf(request), ...warningMember(response, request.warnings) }
  const results = resultsIn(response)
  if (results.length === 0) return noticed
  const ofInput = (at: number) => request.rowWarnings?.get(at)
  const ofRow = (at: number) => (input.isStrict ? {} : listOf(input.rows.get(at) ?? []))
  return {
    ...noticed,
    results: results.map((row, at) => ({ ...row, ...ofRow(at), ...warningMember(row, ofInput(at)) })),
  }
}

function warningMember(object: Record<string, unknown>, ofInput: Warning[] = []): Pick<Notices, 'warnings'> {
  const warnings = [...ofInput, ...warningsOf(object)]
  return warnings.length === 0 ? {} : { warnings }
}

/** Says in a header that a response has URLs that others cannot reach. */
export function warnOfUrls(reply: FastifyReply, response: object): void {
  const object = { ...response }
  for (const each of [object, ...resultsIn(object)]) warnOfLocalUrl(reply, serviceUrlOf(each) ?? '')
}

/** The results of the rows of a request, in their order. */
function resultsIn({ results }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(results) ? results.filter(isRecord) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
