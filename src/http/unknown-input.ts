import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from '#typebox'
import { yieldEvery } from '../lib/yield-every.ts'
import { addVary } from './compress.ts'
import {
  createUnknownError,
  MAX_UNKNOWN,
  rowsIn,
  unknownColumns,
  unknownMembers,
  unknownParameters,
  type Chosen,
  type Unknown,
} from './members.ts'
import { prefersStrict } from './prefer.ts'
import { invalidRequest, type Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the route does not know of the request; undefined outside the API. */
    unknownInput?: UnknownInput
  }
}

/** What a route does not know of a request. */
export interface UnknownInput {
  /** Whether the client wants it refused, and not ignored. */
  isStrict: boolean
  parameters: Unknown[]
  members: Unknown[]
  columns: Unknown[]
  /** By the index of the row, with pointers into it. */
  rows: Map<number, Unknown[]>
  /** The pointer of the list of rows. */
  rowsAt: string
  errorOf: ReturnType<typeof createUnknownError>
}

/** How long other requests may wait while rows are compared with their schema, in milliseconds. */
const SLICE_MS = 5

/** Notes the parameters that a route does not know. */
export function readQuery(request: FastifyRequest, reply: FastifyReply): void {
  const { schema = {}, config } = request.routeOptions
  // No route has the path, or not with this method.
  if (request.is404 || config.work === 'immediate') return
  const { properties = {} } = (schema.querystring ?? {}) as { properties?: object }
  const isStrict = prefersStrict(request.headers['prefer'])
  if (isStrict) reply.header('preference-applied', 'handling=strict')
  const parameters = unknownParameters(Object.keys(properties), request.query as object)
  request.unknownInput = {
    isStrict,
    parameters,
    members: [],
    columns: [],
    rows: new Map(),
    rowsAt: '',
    errorOf: createUnknownError(),
  }
  // A cache must not answer whom the same request would be refused.
  if (parameters.length > 0) addVary(reply, 'prefer')
}

/**
 * Notes the members of the body, and of each of its rows, that a route does not know.
 * @throws {Problem} 400 when the client is strict, and something outside of the rows is not known
 */
export async function readBody(request: FastifyRequest): Promise<void> {
  const { unknownInput: input } = request
  if (input === undefined) return
  const schema = bodySchema(request)
  input.members = unknownMembers(schema, request.body)
  refuseStrict(input)
  const rows = rowsIn(schema, request.body)
  if (rows !== undefined) {
    const pause = yieldEvery(SLICE_MS)
    input.rowsAt = rows.pointer
    for (const [at, row] of rows.items.entries()) {
      noteRow(input, at, unknownMembers(rows.schema, row))
      await pause()
    }
  }
}

/** A route without a schema for bodies knows no member. */
function bodySchema({ routeOptions }: FastifyRequest): TSchema {
  const { body = { type: 'object' } } = routeOptions.schema ?? {}
  const { content } = body as { content?: Record<string, { schema: TSchema }> }
  return content?.['application/json']?.schema ?? (body as TSchema)
}

function noteRow({ rows }: UnknownInput, at: number, unknown: Unknown[]): void {
  if (unknown.length > 0) rows.set(at, unknown)
  else rows.delete(at)
}

/**
 * Compares the body again, once it is known what decides between the alternatives of its schema.
 * @throws {Problem} 400 when the client is strict
 */
export function requireKnownMembers(request: FastifyRequest, chosen: Chosen): void {
  const { unknownInput: input } = request
  if (input === undefined) return
  input.members = unknownMembers(bodySchema(request), request.body, chosen)
  refuseStrict(input)
}

/** The same for a row. @throws {Problem} 400 when the client is strict */
export function requireKnownInRow(request: FastifyRequest, at: number, chosen: Chosen): void {
  const { unknownInput: input } = request
  const rows = rowsIn(bodySchema(request), request.body)
  if (input === undefined || rows === undefined) return
  noteRow(input, at, unknownMembers(rows.schema, rows.items[at], chosen))
  const refused = refusedRow(request, at)
  if (refused !== undefined) throw refused
}

/** The problem of a row that has what is not known; undefined when the client is not strict. */
export function refusedRow({ unknownInput: input }: FastifyRequest, at: number): Problem | undefined {
  const unknown = input?.isStrict === true ? input.rows.get(at) : undefined
  return input && unknown && invalidRequest(unknown.map(input.errorOf))
}

/**
 * Notes the columns of a CSV that are not known.
 * @throws {Problem} 400 when the client is strict
 */
export function ignoreColumns({ unknownInput: input }: FastifyRequest, names: string[], known: string[]): void {
  if (input === undefined) return
  input.columns = unknownColumns(known, names)
  refuseStrict(input)
}

function refuseStrict(input: UnknownInput): void {
  const unknown = outsideRows(input)
  if (input.isStrict && unknown.length > 0) throw invalidRequest(unknown.map(input.errorOf))
}

/** What is not known outside of the rows. */
export function outsideRows({ members, columns, parameters }: UnknownInput): Unknown[] {
  return [...members, ...columns, ...parameters].slice(0, MAX_UNKNOWN)
}
