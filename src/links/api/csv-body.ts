import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readText } from '../../http/body.ts'
import { Problem } from '../../http/problem.ts'
import { warnOfInput } from '../../http/warnings.ts'
import { decodeText, WINDOWS_1252_NOTE, type Decoded } from '../../tables/decode.ts'
import { isWorkbook } from '../../tables/file-kind.ts'
import { TableError } from '../../tables/table-error.ts'

/** Makes `app` read bodies of CSV. */
export function readCsvBodies(app: FastifyInstance): void {
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await request.waitForStart?.()
    return new CsvBody(decodeBody(request, body))
  })
}

/** A body of CSV: JSON may be a string as well. */
export class CsvBody {
  readonly text: string
  readonly encoding: Decoded['encoding']

  constructor({ text, encoding }: Decoded) {
    this.text = text
    this.encoding = encoding
  }
}

/** @throws {Problem} 400 when the body is no text, or not in the encoding that it is said to have */
function decodeBody(request: FastifyRequest, body: Buffer): Decoded {
  if (/;\s{0,10}charset="?utf-?8\b/i.test(request.headers['content-type'] ?? ''))
    return { text: readText(body, 'malformed_csv'), encoding: 'utf-8' }
  try {
    if (!isWorkbook(body)) return decodeText(body)
    throw new TableError('office_file', 'is a workbook or an archive: send CSV')
  } catch (error) {
    throw error instanceof TableError
      ? new Problem('malformed_csv', `the body ${error.message}`, { cause: error })
      : error
  }
}

/** Says that the letters of a body were guessed. */
export function warnOfEncoding(request: FastifyRequest, reply: FastifyReply): void {
  if (request.body instanceof CsvBody && request.body.encoding === 'windows-1252')
    warnOfInput(request, reply, { code: 'windows_1252', detail: WINDOWS_1252_NOTE })
}
