import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from '#typebox'
import { preferredType } from '../../http/accept.ts'
import { isObject, readJsonRows, rowsProblem } from '../../http/body.ts'
import { problemContent, problems } from '../../http/problem-schema.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { sends } from '../../http/response-headers.ts'
import { route, type Route } from '../../http/route.ts'
import { ignoreColumns, refusedRow } from '../../http/unknown-input.ts'
import { warnOfUrls } from '../../http/notices.ts'
import { MAX_ROWS, type BulkResult } from '../bulk/bulk.ts'
import { writeCsv } from '../bulk/bulk-csv.ts'
import { sendCsv, sendZip } from '../bulk/bulk-files.ts'
import type { Client } from '../client.ts'
import { warnsOfTrimmed } from './trimmed-warning.ts'
import { bulkBody, bulkResult } from './bulk-schemas.ts'
import { clientOf } from './write-needs.ts'
import { CsvBody, readCsvBodies, warnOfEncoding } from './csv-body.ts'
import { creationHooks, creationSecurity, type CreationHooksNeeds } from './creation-hooks.ts'
import { disconnectSignal } from '../../http/client-disconnect.ts'
import type { DrawCodeFile } from '../bulk/code-file.ts'
import { readResultQuery, resultQuery, type WantedArchive } from './archive-query.ts'
import { columns, LOOK, readCsv } from '../bulk/csv-rows.ts'
import { collectionOf, creationHeaders, idempotentRequest } from './idempotency-header.ts'

/** The largest body of rows, in bytes. */
export const ROWS_BODY_LIMIT = 4 * 1024 * 1024
/** Values in a body of rows: 500 pages with 100 buttons each have 172,500. */
export const MAX_VALUES = 200_000

/** What bulk creations need of the rest of the program. */
export interface BulkNeeds extends CreationHooksNeeds {
  drawCodeFile: DrawCodeFile
  /** Resolves when the next file of an archive may be drawn: one of all archives in each iteration of the event loop. */
  turnToRender: (request: Pick<FastifyRequest, 'raw'>) => Promise<void>
}

const query = Type.Object({
  ...resultQuery,
  atomic: Type.Optional(Type.Boolean({ description: 'Create all rows or none.' })),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only validate the rows; create nothing.' })),
})
interface BulkRoute {
  Querystring: Static<typeof query>
}

const files = {
  'text/csv': {
    schema: Type.String({ description: 'A line for each row, with its fields, and its URLs or its error.' }),
  },
  'application/zip': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) },
}

const errorResponses = problems('malformed_csv', 'nothing_created', 'collection_not_found', 'collection_full')

/** Makes `app` read the rows of a bulk creation: an array, an object, or CSV. */
export function readRows(app: FastifyInstance): void {
  readJsonRows(app, { rows: MAX_ROWS, values: MAX_VALUES })
  readCsvBodies(app)
}

/** `POST /api/bulk`, where `readRows` reads the body. */
export function bulkRoute(needs: BulkNeeds): Route {
  return route<BulkRoute>({
    config: { work: 'batches' },
    ...creationHooks(needs, 'bulk'),
    bodyLimit: ROWS_BODY_LIMIT,
    schema: {
      summary: 'Create up to 500 links',
      operationId: 'createLinks',
      description:
        'Rows are independent: an invalid row does not keep the others from being created. The rows are an array of ' +
        'links, or CSV with the columns `alias`, `target`, `title`, `campaign`, `look`, as `{"csv": "…"}` or as the body itself.',
      tags: ['Links'],
      security: creationSecurity,
      headers: creationHeaders,
      querystring: query,
      body: bulkBody,
      response: {
        200: {
          description: 'The result of a dry run.',
          headers: sends('Content-Disposition'),
          content: { 'application/json': { schema: bulkResult }, 'text/csv': files['text/csv'] },
        },
        201: {
          description: 'At least one link was created.',
          headers: sends('Content-Disposition'),
          content: { 'application/json': { schema: bulkResult }, ...files },
        },
        ...errorResponses,
        // A client that requested CSV gets CSV, even if each of its lines is an error.
        400: {
          ...errorResponses[400],
          headers: sends('Content-Disposition'),
          content: { ...problemContent(bulkResult), 'text/csv': files['text/csv'] },
        },
      },
    },
    handler: (request, reply) => sendBulk(needs, request, reply),
  })
}

async function sendBulk(
  needs: BulkNeeds,
  request: FastifyRequest<BulkRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { atomic = false, dry_run: dryRun = false } = request.query
  const { format, archive } = readResultQuery(request.query)
  const client = clientOf(needs, request, reply)
  const rows = await rowsOf(request)
  warnOfEncoding(request, reply)
  const asCsv =
    format === undefined
      ? preferredType(request.headers.accept, ['application/json', 'text/csv']) === 'text/csv'
      : format === 'csv'
  reply.header('cache-control', 'no-store')
  try {
    const known = rows.map((row, at) => refusedRow(request, at) ?? row)
    const result = await needs.links.createBulk(known, client, {
      idempotentRequest: idempotentRequest(request),
      collection: collectionOf(request),
      atomic,
      dryRun,
      drawsImages: archive !== undefined,
      onTrimmedIn: (row) => warnsOfTrimmed(request, reply, row),
    })
    reply.code(dryRun ? 200 : 201)
    warnOfUrls(reply, result)
    if (archive !== undefined && !dryRun)
      return await sendArchive(needs, client, { request, reply }, { archive, rows, result })
    return asCsv ? sendCsv(reply, await writeCsv(rows, result)) : reply.send(result)
  } catch (error) {
    // The same format as when some rows were valid.
    if (!(error instanceof Problem) || error.code !== 'nothing_created' || !asCsv) throw error
    return sendCsv(reply.code(error.status), await writeCsv(rows, error.members as BulkResult))
  }
}

async function sendArchive(
  { drawCodeFile, turnToRender }: BulkNeeds,
  client: Client,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { archive: { image, names }, rows, result }: { archive: WantedArchive; rows: unknown[]; result: BulkResult },
): Promise<FastifyReply> {
  const waiting = { ...client, signal: disconnectSignal(reply) }
  return sendZip(reply, {
    csv: await writeCsv(rows, result),
    rows,
    result,
    names,
    ending: image.format,
    turn: () => turnToRender(request),
    draw: (file) => drawCodeFile({ ...file, origin: client.origin }, image, waiting),
  })
}

/** @throws {Problem} 400 when there are no rows, or too many */
async function rowsOf(request: FastifyRequest): Promise<unknown[]> {
  const { body } = request
  const rows = await parseRows(body, (names) => ignoreColumns(request, names, [...columns, LOOK]))
  if (rows.length >= 1 && rows.length <= MAX_ROWS) return rows
  const many = rows.length > MAX_ROWS ? `more than ${MAX_ROWS}` : 'none'
  throw rowsProblem(MAX_ROWS, many, isObject(body) && !(body instanceof CsvBody) ? '/csv' : '')
}

async function parseRows(body: unknown, onUnknown: (names: string[]) => void): Promise<unknown[]> {
  if (Array.isArray(body)) return body
  if (body instanceof CsvBody) return readCsv(body.text, '', onUnknown)
  if (isObject(body) && typeof body['csv'] === 'string') return readCsv(body['csv'], '/csv', onUnknown)
  if (isObject(body) && 'csv' in body) throw invalidRequest([{ pointer: '/csv', detail: 'must be a string' }])
  throw invalidRequest([
    { pointer: '', detail: 'must be an array of links, an object with the field "csv", or text/csv' },
  ])
}
