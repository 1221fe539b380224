import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { Schemas } from '../../client/client.ts'
import { writeRecords } from '../../lib/csv.ts'
import type { Flags } from '../../config/sources.ts'
import { StartError } from '../../lib/start-error.ts'
import {
  toLinkBody,
  type LinkRow,
  describeFault,
  faultOfRecord,
  toLinkRow,
  withoutOuterBlanks,
} from '../../tables/records.ts'
import { exits } from '../command-error.ts'
import type { Command, CommandContext, CommandResult } from '../command.ts'
import { openStandardOutput, type Output } from '../output.ts'
import { createProgress, finishOnSignal } from '../progress.ts'
import { openForCreation } from './open-collection.ts'
import { creationOptions, joiningOptions, linkOptions, serviceOptions, warningOf } from './options.ts'
import { dataOf } from './service.ts'
import { keepUnprinted } from './unprinted.ts'
import { shorten } from '../../lib/shorten.ts'
import { plainName, readHeader } from '../../tables/link-columns.ts'
import { encodingNotes, readBytes, readTable, type TableFile } from '../table-file.ts'

/** Rows of one request (docs/api.md). */
const MAX_ROWS = 500
/** The columns of the output that repeat the row. */
const columns = ['alias', 'target', 'title', 'campaign'] as const

const HEADER = writeRecords([['row', ...columns, 'short_url', 'manage_url', 'token', 'error']])

type Result = Schemas['BulkResult']['results'][number]

export const bulk: Command = {
  name: 'bulk',
  usage: '<file>',
  summary: 'create a link for each row of a table; prints the table with short URLs and tokens',
  options: {
    ...serviceOptions,
    ...creationOptions,
    ...joiningOptions,
    look: { type: 'string', doc: `${linkOptions.look.doc}; a column "look" says it for a row` },
    out: { type: 'string', doc: 'the file for the table, which must not exist; without it: standard output' },
    'dry-run': { type: 'boolean', doc: 'only validate the rows' },
    keep: { type: 'boolean', doc: 'keep the tokens in a file that only you can read' },
  },
  async run(context) {
    const [file, ...more] = context.args
    if (file === undefined || more.length > 0)
      throw new StartError('give one CSV file or Excel workbook; - is standard input')
    const { rows, notes } = await readRows(file)
    const { service, header } = openForCreation(context)
    const output = openTable(context.flags['out'])
    try {
      const done = await createAll(context, { service, header }, rows, output)
      const warnings = [...notes, ...(done.warning === undefined ? [] : [done.warning])]
      return warnings.length === 0 ? done : { ...done, warning: warnings.join('\n') }
    } finally {
      output.close()
    }
  },
}
/** Names of columns that a note has. */
const MAX_NAMED = 10

/**
 * Writes the results of each request at once: a later failure loses no token. A request that has begun is finished when a
 * signal arrives.
 */
async function createAll(
  { flags }: CommandContext,
  into: ReturnType<typeof openForCreation>,
  rows: TableRow[],
  { write }: Output,
): Promise<CommandResult> {
  const { service } = into
  const progress = createProgress()
  const isJson = flags['json'] === true
  const stop = new AbortController()
  const ended = finishOnSignal(() => stop.abort())
  const tally = createTally(rows.length)
  try {
    if (!isJson) await write(HEADER).catch((error: Error) => Promise.reject(unwritten(error, 'nothing was created')))
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      if (stop.signal.aborted) throw stoppedBefore(new StartError('stopped'), from)
      progress.show(`${from} of ${rows.length} rows`)
      const part = rows.slice(from, from + MAX_ROWS)
      const results = await createSome(into, part, flags).catch((error: unknown) => {
        throw stoppedBefore(error, from)
      })
      await write(isJson ? linesOf(results, from) : tableOf(part, results, from)).catch((error: Error) => {
        throw unwritten(error, keepUnprinted(service, results.filter(isCreated)))
      })
      tally.add(results)
      if (flags['keep'] === true) service.kept.keep(service.server, results.filter(isCreated))
    }
  } finally {
    progress.end()
    ended()
  }
  return tally.result()
}

/** Counts what is to be said of the rows at the end. */
function createTally(rows: number): { add: (results: Result[]) => void; result: () => CommandResult } {
  let [failed, trimmed] = [0, 0]
  let localAddress: Warning | undefined
  const ofRows = (count: number, what: string) => (count > 0 ? [{ detail: `${count} of ${rows} rows ${what}` }] : [])
  return {
    add(results) {
      failed += results.filter((result) => 'error' in result).length
      trimmed += results.filter((result) => warningIn(result, 'invisible_characters') !== undefined).length
      localAddress ??= results.map((result) => warningIn(result, 'local_address')).find((each) => each !== undefined)
    },
    result() {
      const warnings = [
        ...(localAddress === undefined ? [] : [localAddress]),
        ...ofRows(trimmed, 'had invisible characters around the URL'),
        ...ofRows(failed, 'have an error'),
      ]
      return { text: '', ...warningOf(warnings), status: failed === 0 ? 0 : exits.partly }
    },
  }
}

async function createSome(
  { service, header: joining }: ReturnType<typeof openForCreation>,
  rows: TableRow[],
  flags: Flags,
): Promise<Result[]> {
  const header = { 'idempotency-key': randomUUID(), ...joining }
  const query = flags['dry-run'] === true ? { dry_run: true } : {}
  const body = rows.map((row) => bodyOf(row, flags['look'])) as Schemas['BulkRows']
  const result = await service.client(service.createKey()).POST('/api/bulk', { body, params: { header, query } })
  // When no row succeeded, the problem has the results too.
  const problem = result.error as { results?: Result[] } | undefined
  return problem?.results ?? (dataOf(result) as Schemas['BulkResult']).results
}

function bodyOf({ look: own, ...row }: TableRow, forAll: Flags[string]): object {
  const look = own ?? forAll
  return { ...toLinkBody(row), ...(look !== undefined && { design: { look } }) }
}

function stoppedBefore(error: unknown, row: number): unknown {
  if (!(error instanceof StartError)) return error
  if (row > 0) error.message += `; rows 1 to ${row} are done, and in the output`
  return error
}

/** @param kept what became of the tokens that are not in the output */
function unwritten(error: Error, kept: string | undefined): StartError {
  const why = `the output cannot be written: ${error.message}`
  return new StartError(kept === undefined ? why : `${why}; ${kept}`, { cause: error })
}

type Warning = Schemas['Warnings'][number]

function warningIn(result: Result, code: string): Warning | undefined {
  return 'warnings' in result ? result.warnings?.find((warning) => warning.code === code) : undefined
}

function isCreated(result: Result): result is Schemas['CreatedRow'] {
  return 'token' in result
}

function tableOf(rows: TableRow[], results: Result[], from: number): string {
  return writeRecords(
    results.map((result, at) => [
      String(from + at + 1),
      ...columns.map((name) => rows[at]?.[name] ?? ''),
      ...(isCreated(result) ? [result.short_url, result.manage_url, result.token] : ['', '', '']),
      'error' in result ? result.error.detail : '',
    ]),
  )
}

function linesOf(results: Result[], from: number): string {
  return results.map((result) => `${JSON.stringify({ ...result, index: from + result.index })}\n`).join('')
}

/** Standard output, or a new file that only the owner can read: it has tokens. */
function openTable(file: Flags[string]): Output & { close: () => void } {
  if (typeof file !== 'string') return { ...openStandardOutput(), close: () => {} }
  try {
    const descriptor = openSync(file, 'wx', 0o600)
    return {
      write: async (text) => writeFileSync(descriptor, text),
      close: () => closeSync(descriptor),
    }
  } catch (error) {
    throw new StartError(`--out=${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** A row of a table, and the look of the collection that its link gets. */
type TableRow = LinkRow & { look?: string }

/** The rows of a table, and what is to be said about how it was read. */
interface LinkTable {
  rows: TableRow[]
  notes: string[]
}

/**
 * Reads a table of links with a header: an Excel workbook, or CSV with commas, semicolons, tabs or bars. The service checks
 * the rows.
 * @throws {StartError} with the line, when it is not such a table, or has text in a column without a name
 */
export async function readRows(file: string): Promise<LinkTable> {
  const bytes = await readBytes(file)
  try {
    return toRows(await readTable(bytes))
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`${file}: ${error.message}`, { cause: error })
    throw error
  }
}

function toRows({ records: [header, ...records], place, encoding }: TableFile): LinkTable {
  const names = header?.cells ?? []
  const { mapping, unknown, repeated } = readHeader(names)
  if (!mapping.includes('target'))
    throw new StartError(`${place} ${header?.line ?? 1} must be a header with the column "target"`)
  if (repeated !== undefined) throw new StartError(`the header has the column "${shorten(repeated)}" twice`)
  const looks = names.findIndex((name) => plainName(name) === 'look')
  const rows = records.map((record) => {
    const fault = faultOfRecord(record, names, mapping)
    if (fault !== undefined) throw new StartError(describeFault(fault))
    const look = record.cells[looks]?.trim()
    return { ...withoutOuterBlanks(toLinkRow(record.cells, mapping)), ...(look && { look }) }
  })
  if (rows.length === 0) throw new StartError('it has no row')
  return {
    rows,
    notes: [...encodingNotes(encoding), ...unusedNotes(unknown.filter((name) => plainName(name) !== 'look'))],
  }
}

function unusedNotes(names: string[]): string[] {
  if (names.length === 0) return []
  const named = names.slice(0, MAX_NAMED).map((name) => `"${shorten(name)}"`)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return [`columns that are not used: ${named.join(', ')}${more}`]
}
