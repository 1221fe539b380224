import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Collections } from '../../collections/open.ts'
import { rowOf } from '../../collections/spreadsheet/change-by-sheet.ts'
import { changeInBatches, type Batches } from '../../collections/spreadsheet/change-in-batches.ts'
import { compareRows } from '../../collections/spreadsheet/compare.ts'
import { readSheet } from '../../collections/spreadsheet/read-sheet.ts'
import { MAX_LINKS } from '../../collections/bounds.ts'
import { pageLanguage } from '../../http/accept.ts'
import { isObject } from '../../http/body.ts'
import { sendPage, type Page } from '../../http/document.ts'
import { Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { parseStrictRows, TooManyRows } from '../../lib/json-rows.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { JsonError } from '../../lib/strict-json.ts'
import { MAX_VALUES, ROWS_BODY_LIMIT } from '../../links/api/bulk-routes.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { clientOf, type WriteNeeds } from '../../links/api/write-needs.ts'
import type { Limits } from '../../limits/open.ts'
import { decodeText } from '../../tables/decode.ts'
import { isWorkbook } from '../../tables/file-kind.ts'
import { TableError } from '../../tables/table-error.ts'
import { spreadsheetTexts } from '../../texts/spreadsheet.ts'
import { refusalText } from '../faults.ts'
import { formOf } from '../form-body.ts'
import { appliedPage, previewPage, refusedPage, type FailedRow, type Preview } from './spreadsheet.ts'

/** What the part about spreadsheets needs of the rest of the program. */
export interface SpreadsheetNeeds extends WriteNeeds {
  collections: Pick<Collections, 'find' | 'sheetLinksOf'>
  turnToRender: Limits['turnToRender']
}

interface SheetRoute {
  Params: { token: string }
}
type SheetRequest = FastifyRequest<SheetRoute>

/** How long others may wait while rows are packed, in milliseconds. */
const SLICE_MS = 5
/** Base64 has four characters for three bytes. */
const PACKED_LIMIT = Math.ceil(ROWS_BODY_LIMIT / 3) * 4
/** Room for the boundaries and names of a form around its file. */
const FORM_BYTES = 64 * 1024

/** Previews a table of a collection's links, and changes them: `POST /c/<token>/links.csv` */
export function spreadsheetRoute(needs: SpreadsheetNeeds): Route {
  return route<SheetRoute>({
    schema: { hide: true },
    onSend: forbidCaching,
    bodyLimit: PACKED_LIMIT + FORM_BYTES,
    config: { work: 'batches', isCharged: true, fileLimit: ROWS_BODY_LIMIT },
    onRequest: async ({ params: { token } }) => void (await needs.collections.find(token)),
    async handler(request, reply) {
      const page = await pageFor(needs, request, reply)
      await needs.turnToRender(request)
      reply.header('vary', 'accept-language')
      return sendPage(reply, page)
    },
  })
}

async function pageFor(needs: SpreadsheetNeeds, request: SheetRequest, reply: FastifyReply): Promise<Page> {
  const shown = { token: request.params.token, language: pageLanguage(request) }
  const texts = spreadsheetTexts[shown.language]
  const form = formOf(request.body)
  const changes = form.get('changes')
  const batches = batchesOf(needs, request, reply, changes === null)
  try {
    if (changes !== null) return appliedPage(shown, ...(await apply(batches, await rowsIn(changes))))
    const file = form.get('file') ?? ''
    if (file === '') throw new TableError('office_file', texts.noFile)
    return previewPage(shown, await preview(needs, batches, shown.token, textOf(file, texts.workbook)))
  } catch (error) {
    if (error instanceof TableError) {
      reply.code(400)
      return refusedPage(shown, error.message)
    }
    if (!(error instanceof Problem) || error.code === 'collection_not_found') throw error
    reply.code(error.status).headers(error.headers)
    return refusedPage(shown, `${refusalText(error, shown.language)} ${error.message}`)
  }
}

function batchesOf(needs: SpreadsheetNeeds, request: SheetRequest, reply: FastifyReply, dryRun: boolean): Batches {
  return {
    links: needs.links,
    client: clientOf(needs, request, reply),
    options: { atomic: false, dryRun, through: request.params.token, chargeNotFound: async () => undefined },
  }
}

/** The text of a chosen file, which the parser of forms has turned into a data URI. @throws {TableError} */
function textOf(file: string, workbook: string): string {
  const bytes = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64')
  if (isWorkbook(bytes)) throw new TableError('office_file', workbook)
  return decodeText(bytes).text
}

async function preview(
  { collections }: SpreadsheetNeeds,
  batches: Batches,
  token: string,
  text: string,
): Promise<Preview> {
  const cells = await readSheet(text, () => {})
  const outcomes = await compareRows(collections, await collections.find(token), cells)
  const failed: FailedRow[] = []
  const differing = []
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome instanceof Problem) failed.push({ row: at + 1, code: codeIn(cells[at]), error: outcome })
    else if (outcome.differences.length > 0) differing.push({ at, outcome, body: rowOf(outcome) })
  }
  const bodies = differing.map(({ body }) => body)
  const checked = bodies.length === 0 ? [] : await changeInBatches(batches, bodies)
  const valid = differing.filter((_, at) => !('error' in (checked[at] ?? {})))
  for (const [at, { outcome, at: row }] of differing.entries()) {
    const result = checked[at]
    if (result && 'error' in result) failed.push({ row: row + 1, code: outcome.link.code, error: result.error })
  }
  return {
    changes: valid.map(({ outcome: { link, differences } }) => ({ code: link.code, differences })),
    failed: failed.toSorted((one, other) => one.row - other.row),
    packed: valid.length === 0 ? undefined : await pack(valid.map(({ body }) => body)),
  }
}

const codeIn = (cells: unknown): string =>
  isObject(cells) && typeof cells['code'] === 'string' ? cells['code'].slice(0, 64) : ''

/**
 * Rows for the form of a preview: JSON in base64. As it is, a page would have five characters for each ampersand, and everybody would wait
 * until they are written.
 */
async function pack(rows: object[]): Promise<string> {
  const pause = yieldEvery(SLICE_MS)
  const texts: string[] = []
  for (const row of rows) {
    texts.push(JSON.stringify(row))
    await pause()
  }
  return Buffer.from(`[${texts.join()}]`).toString('base64')
}

/** The rows of a form from a preview. @throws {Problem} 400 for anything else */
async function rowsIn(packed: string): Promise<object[]> {
  try {
    const changes = Buffer.from(packed, 'base64').toString()
    const rows = await parseStrictRows(changes, { rows: MAX_LINKS, values: MAX_VALUES }, yieldToLoop)
    if (Array.isArray(rows) && rows.length > 0 && rows.every(isObject)) return rows
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof TooManyRows)) throw error
  }
  throw new Problem('invalid_request', 'the form has no list of changes')
}

async function apply(batches: Batches, rows: object[]): Promise<[changed: number, failed: FailedRow[]]> {
  const results = await changeInBatches(batches, rows)
  const changed = results.filter((row) => 'changed' in row && row.changed).length
  const failed = results.flatMap((row) =>
    'error' in row ? [{ row: row.index + 1, code: codeIn(rows[row.index]), error: row.error }] : [],
  )
  return [changed, failed]
}
