import { randomUUID } from 'node:crypto'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { fromBase64 } from '../../lib/bytes.ts'
import { MAX_ROWS } from '../../links/bulk/bulk.ts'
import { parseRecords } from '../../links/bulk/csv-records.ts'
import type { bulkTexts } from '../../texts/bulk.ts'
import { keyIn } from '../creation.ts'
import { guessDelimiter, guessLayout } from './columns.ts'
import { csvProblem } from './csv-problem.ts'
import { decodeText } from './decode-text.ts'
import { fillText } from '../../lib/fill-text.ts'
import { toRows, type Row } from './rows.ts'

/** Characters of a list that the plain form takes; its parser cuts longer ones a little above. */
export const MAX_LIST = 256 * 1024

type Texts = (typeof bulkTexts)['en']

/** What a client has sent with the form. */
export interface Upload {
  /** The CSV, with line feeds only: browsers send those of a text as CRLF, and those of a file as they are. */
  text: string
  /** What to do with the rows. */
  action: 'check' | 'create' | 'csv' | 'zip' | 'sheet'
  /** Of the operator. */
  creationKey: string | undefined
  /** The same for each request about the same links. */
  key: string
}

const actions = ['check', 'create', 'csv', 'zip', 'sheet'] as const

export function readUpload(form: URLSearchParams): Upload {
  const file = form.get('file') ?? ''
  const typed = form.get('list') ?? ''
  // The parser of forms turns a chosen file into a data URI.
  const bytes = fromBase64(file.slice(file.indexOf(',') + 1))
  const text = file !== '' && bytes !== undefined ? decodeText(bytes) : typed
  const key = form.get('idempotency_key') ?? ''
  return {
    text: text.replace(/\r\n?/g, '\n'),
    action: actions.find((action) => action === form.get('action')) ?? 'check',
    creationKey: keyIn(form),
    key: /^[\w-]{16,64}$/.test(key) ? key : randomUUID(),
  }
}

/**
 * Reads the rows of a list.
 * @throws {Problem} 400 or 413 when it cannot be read, in people's words
 */
export async function readList(text: string, { problems }: Texts): Promise<Row[]> {
  if (text.length > MAX_LIST) throw new Problem('body_too_large', fillText(problems.tooLarge, { size: '256 KB' }))
  const records = await parseRecords(text, guessDelimiter(text), (_detail, cause) =>
    refuse(cause === undefined ? problems.tooManyCells : csvProblem(cause, problems)),
  )
  if (records.length === 0) throw refuse(problems.empty)
  const layout = guessLayout(records)
  if (!layout.mapping.includes('target')) throw refuse(problems.noTarget)
  const rows = toRows(records, layout)
  if (rows.length === 0) throw refuse(problems.empty)
  if (rows.length > MAX_ROWS) throw refuse(fillText(problems.tooManyRows, { rows: MAX_ROWS }))
  return rows
}

function refuse(detail: string): Problem {
  return new Problem('malformed_csv', detail, { errors: invalidRequest([{ pointer: '/list', detail }]).errors })
}
