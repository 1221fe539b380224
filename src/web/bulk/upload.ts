import { randomUUID } from 'node:crypto'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { fromBase64 } from '../../lib/bytes.ts'
import { shorten } from '../../lib/shorten.ts'
import { MAX_ROWS } from '../../links/bulk/bulk.ts'
import { parseRecords } from '../../links/bulk/csv-records.ts'
import type { bulkTexts } from '../../texts/bulk.ts'
import { keyIn } from '../creation.ts'
import { decodeText, type Decoded } from '../../tables/decode.ts'
import { findLayout } from '../../tables/delimiter.ts'
import { isWorkbook } from '../../tables/file-kind.ts'
import { readHeader } from '../../tables/link-columns.ts'
import type { LinkRow } from '../../tables/records.ts'
import { TableError } from '../../tables/table-error.ts'
import { guessLayout } from './columns.ts'
import { fillText } from '../../lib/fill-text.ts'
import { toRows, type ReadRow } from './rows.ts'
import { recordProblem, tableProblem } from './table-problem.ts'

/** Characters of a list that the plain form takes; its parser cuts longer ones a little above. */
export const MAX_LIST = 256 * 1024

/** Characters of the name of a collection. */
const MAX_NAME = 100

type Texts = (typeof bulkTexts)['en']

/** What a client has sent with the form. */
export interface Upload {
  /** The CSV, with line feeds only: browsers send those of a text as CRLF, and those of a file as they are. */
  text: string
  encoding: Decoded['encoding']
  /** Why the chosen file cannot be read, in people's words. */
  fault: string | undefined
  /** What to do with the rows. */
  action: 'check' | 'create' | 'csv' | 'zip' | 'sheet'
  /** Of the operator. */
  creationKey: string | undefined
  /** The same for each request about the same links. */
  key: string
  together: Together
}

/** Whether the links are kept together in a collection, and in which. */
export interface Together {
  isChosen: boolean
  /** Of the collection; empty for none. */
  name: string
  /** Of a collection that exists; otherwise one is created with the links. */
  token: string | undefined
}

const actions = ['check', 'create', 'csv', 'zip', 'sheet'] as const

export function readUpload(form: URLSearchParams, { problems }: Texts): Upload {
  const file = form.get('file') ?? ''
  const typed = form.get('list') ?? ''
  // The parser of forms turns a chosen file into a data URI.
  const bytes = file === '' ? undefined : fromBase64(file.slice(file.indexOf(',') + 1))
  const { fault, ...decoded } =
    bytes === undefined ? { text: typed, encoding: 'utf-8' as const, fault: undefined } : decodeFile(bytes, problems)
  const key = form.get('idempotency_key') ?? ''
  return {
    text: decoded.text.replace(/\r\n?/g, '\n'),
    encoding: decoded.encoding,
    fault,
    action: actions.find((action) => action === form.get('action')) ?? 'check',
    creationKey: keyIn(form),
    key: /^[\w-]{16,64}$/.test(key) ? key : randomUUID(),
    together: {
      isChosen: form.get('together') === 'yes',
      name: form.get('collection_name')?.trim() ?? '',
      token: form.get('collection')?.slice(0, 100) || undefined,
    },
  }
}

function decodeFile(bytes: Uint8Array, problems: Texts['problems']): Decoded & { fault: string | undefined } {
  try {
    if (!isWorkbook(bytes)) return { ...decodeText(bytes), fault: undefined }
    return { text: '', encoding: 'utf-8', fault: problems.workbookPlain }
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    return { text: '', encoding: 'utf-8', fault: tableProblem(error, problems) }
  }
}

/** The rows of a list, and what is to be said about how it was read. */
export interface List {
  rows: LinkRow[]
  notes: string[]
}

/**
 * Reads the rows of a list.
 * @throws {Problem} 400 or 413 when it cannot be read, in people's words
 */
export async function readList({ text, encoding, fault, together }: Upload, texts: Texts): Promise<List> {
  const { problems, notes } = texts
  if (together.name.length > MAX_NAME) throw refuse(problems.collectionName)
  if (fault !== undefined) throw refuse(fault)
  if (text.length > MAX_LIST) throw new Problem('body_too_large', fillText(problems.tooLarge, { size: '256 KB' }))
  const records = await parseRecords(text, findLayout(text), (_detail, cause) =>
    refuse(cause === undefined ? problems.tooManyCells : tableProblem(cause, problems)),
  )
  if (records.length === 0) throw refuse(problems.empty)
  const layout = guessLayout(records)
  if (!layout.mapping.includes('target')) throw refuse(problems.noTarget)
  const { unknown, repeated } = readHeader(layout.hasHeader ? (records[0]?.cells ?? []) : [])
  if (repeated !== undefined) throw refuse(fillText(problems.repeated, { name: repeated }))
  const rows = usableRows(toRows(records, layout), texts)
  const said = encoding === 'windows-1252' ? [notes.windows1252] : []
  if (unknown.length > 0) said.push(fillText(notes.unused, { names: listNames(unknown) }))
  return { rows, notes: said }
}

function usableRows(rows: ReadRow[], { problems, faults }: Texts): LinkRow[] {
  if (rows.length === 0) throw refuse(problems.empty)
  if (rows.length > MAX_ROWS) throw refuse(fillText(problems.tooManyRows, { rows: MAX_ROWS }))
  const wrong = rows.find(({ fault }) => fault !== undefined)?.fault
  if (wrong !== undefined) throw refuse(recordProblem(wrong, faults))
  return rows.map(({ cells }) => cells)
}

/** Names of columns that are said; there may be thousands. */
const MAX_NAMED = 10

function listNames(names: string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => shorten(name))
  return [...named, ...(names.length > MAX_NAMED ? ['…'] : [])].join(', ')
}

function refuse(detail: string): Problem {
  return new Problem('malformed_csv', detail, { errors: invalidRequest([{ pointer: '/list', detail }]).errors })
}
