import type { FastifyReply } from 'fastify'
import { zipOf, type ZippedFile } from '../../http/zip.ts'
import { createCodeFileNames, type FileNames } from '../../lib/file-name.ts'
import { Problem } from '../../http/problem.ts'
import type { BulkResult } from './bulk.ts'
import { hasDesign, writeManifest } from './bulk-csv.ts'
import type { CodeFile, FileImage } from './code-file.ts'

/** Sends the results as a file. */
export function sendCsv(reply: FastifyReply, csv: string): FastifyReply {
  reply.headers({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="links.csv"',
  })
  return reply.send(csv)
}

/** Bytes of images that are in memory at once: the one that is sent, and the next. */
const IMAGE_BYTES = 1024 * 1024

/** The archive of a request. */
export interface Archive {
  /** The table of the results, with the tokens. */
  csv: string
  rows: unknown[]
  result: BulkResult
  names: FileNames
  ending: FileImage['format']
  /** Resolves when the next image may be drawn: one of all archives in each iteration of the event loop. */
  turn: () => Promise<void>
  /** @throws {Problem} when it cannot be drawn */
  draw: (file: Omit<CodeFile, 'origin'>) => Promise<Uint8Array>
}

/**
 * The files of an archive: the table first, so that no token is lost with an image; then the images, each drawn when the
 * client has read those before it and its turn has come: archives whose clients begin to read at once would hold the event loop
 * together; last the manifest, which says what could not be drawn.
 */
export async function* filesOf({
  csv,
  rows,
  result,
  names,
  ending,
  turn,
  draw,
}: Archive): AsyncGenerator<ZippedFile, void> {
  yield file('links.csv', csv)
  const nameOf = createCodeFileNames(names)
  const files: ManifestLine[] = []
  for (const [at, each] of result.results.entries()) {
    if ('error' in each) {
      files.push({ file: '', error: `${each.error.code}: ${each.error.detail}` })
      continue
    }
    // A dry run, which has no archive, has valid rows without a link.
    if (!('code' in each)) continue
    const { code } = each
    const drawn = await orProblem(() => turn().then(() => draw({ code, hasDesign: hasDesign(rows[at]) })))
    if (drawn instanceof Problem) files.push({ file: '', error: `${drawn.code}: ${drawn.message}` })
    else {
      const name = `${nameOf(code, titleOf(rows[at]))}.${ending}`
      files.push({ file: name, error: '' })
      yield file(name, drawn)
    }
  }
  yield file('manifest.csv', writeManifest(rows, result, files))
}

/** What became of the image of a row: the name of its file, or why there is none. */
export interface ManifestLine {
  file: string
  error: string
}

function titleOf(row: unknown): string | undefined {
  const { title } = (row ?? {}) as { title?: unknown }
  return typeof title === 'string' ? title : undefined
}

const file = (name: string, input: string | Uint8Array): ZippedFile => ({ name, input, lastModified: new Date() })

async function orProblem<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Sends an archive as a ZIP; the table and the links stay in memory until the end. */
export function sendZip(reply: FastifyReply, archive: Archive): FastifyReply {
  reply.headers({ 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="links.zip"' })
  reply.streamBytes = 2 * archive.csv.length + IMAGE_BYTES
  return reply.send(zipOf(filesOf(archive)))
}
