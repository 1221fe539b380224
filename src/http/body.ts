import type { FastifyInstance, FastifyRequest } from 'fastify'
import { setImmediate as turn } from 'node:timers/promises'
import { parseStrictRows, TooManyRows, type RowBounds } from '../lib/json-rows.ts'
import { JsonError, parseStrictJson } from '../lib/strict-json.ts'
import { invalidRequest, Problem } from './problem.ts'

/** The largest body, in bytes, where a route does not say otherwise. */
export const BODY_LIMIT = 256 * 1024

/** Makes `app` read JSON bodies strictly, and refuse every other kind of body and every encoding of it. */
export function readJsonBodies(app: FastifyInstance): void {
  refuseEncodedBodies(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await request.turn?.()
    return parseJsonBody(body)
  })
}

/** A compressed body could unpack to anything; none is taken, whatever the encoding. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-encoding'] === undefined) return done()
    done(new Problem('unsupported_media_type', 'the body must be sent without a Content-Encoding'))
  })
}

/**
 * Reads a JSON body strictly.
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

/** Makes `app` read JSON bodies that are lists of up to `bounds.rows` rows, with turns for others in between. */
export function readJsonRows(app: FastifyInstance, bounds: RowBounds): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await request.turn?.()
    if (body.length === 0) return undefined
    try {
      return await parseStrictRows(readText(body, 'malformed_json'), bounds, turn)
    } catch (error) {
      throw error instanceof TooManyRows ? rowsProblem(bounds.rows, `more than ${bounds.rows}`) : jsonProblem(error)
    }
  })
}

/** What is said of a list with too many rows, or none, which stands at a place in the body. */
export function rowsProblem(most: number, many: string, pointer = ''): Problem {
  return invalidRequest([{ pointer, detail: `must hold 1 to ${most} rows, and holds ${many}` }])
}

function jsonProblem(error: unknown): unknown {
  return error instanceof JsonError ? new Problem('malformed_json', error.message, { cause: error }) : error
}

/**
 * Reads a body of text.
 * @throws {Problem} 400 when it is not UTF-8
 */
export function readText(body: Buffer, fault: 'malformed_json' | 'malformed_csv'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw new Problem(fault, 'the body is not valid UTF-8', { cause: error })
  }
}

/** The body as an object of unknown fields. */
export function asObject(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body
  throw invalidRequest([{ pointer: '', detail: 'must be a JSON object' }])
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
