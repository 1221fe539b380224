import type { FastifyInstance, FastifyRequest } from 'fastify'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { parseStrictRows, TooManyRows, type RowBounds } from '../lib/json-rows.ts'
import { JsonError, parseStrictJson } from '../lib/strict-json.ts'
import { invalidRequest, Problem } from './problem.ts'
import { noteRefusals } from './refusals.ts'

/** The largest body in bytes, unless a route sets another limit. */
export const BODY_LIMIT = 256 * 1024

/** Makes `app` parse JSON bodies strictly, and refuse all other media types and content encodings. */
export function readJsonBodies(app: FastifyInstance): void {
  refuseEncodedBodies(app)
  noteRefusals(app, ({ method }) => (method === 'GET' || method === 'HEAD' ? [] : ['malformed_json']))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await request.waitForStart?.()
    return parseJsonBody(body)
  })
}

/** Refuses every content encoding: a small compressed body could expand to any size. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  noteRefusals(app, () => ['unsupported_media_type'])
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-encoding'] === undefined) return done()
    done(new Problem('unsupported_media_type', 'the body must be sent without a Content-Encoding'))
  })
}

/**
 * Parses a JSON body strictly.
 * @throws {Problem} 400 when it is not UTF-8 or not JSON
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  try {
    return parseStrictJson(readText(body, 'malformed_json'))
  } catch (error) {
    throw jsonProblem(error)
  }
}

/** Makes `app` parse JSON bodies with lists of up to `bounds.rows` rows, yielding to the event loop in between. */
export function readJsonRows(app: FastifyInstance, bounds: RowBounds): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await request.waitForStart?.()
    if (body.length === 0) return undefined
    try {
      return await parseStrictRows(readText(body, 'malformed_json'), bounds, yieldToLoop)
    } catch (error) {
      if (!(error instanceof TooManyRows)) throw jsonProblem(error)
      throw rowsProblem(bounds.rows, `more than ${bounds.rows}`, bounds.field && `/${bounds.field}`)
    }
  })
}

/** The problem of a list with too many rows, or none. */
export function rowsProblem(max: number, actual: string, pointer = ''): Problem {
  return invalidRequest([{ pointer, detail: `must have 1 to ${max} rows, but has ${actual}` }])
}

function jsonProblem(error: unknown): unknown {
  return error instanceof JsonError ? new Problem('malformed_json', error.message, { cause: error }) : error
}

/**
 * Decodes a text body.
 * @throws {Problem} 400 when it is not UTF-8
 */
export function readText(body: Buffer, code: 'malformed_json' | 'malformed_csv'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw new Problem(code, 'the body is not valid UTF-8', { cause: error })
  }
}

/**
 * The body as an object of unknown fields.
 * @throws {Problem} 400 when it is not an object
 */
export function asObject(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body
  throw invalidRequest([{ pointer: '', detail: 'must be a JSON object' }])
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
