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
export const IMAGE_BYTES = 1024 * 1024

/** How the images of an archive are drawn and named. */
export interface ImageFiles {
  names: FileNames
  ending: FileImage['format']
  /**
   * Resolves when the next image may be drawn: one of all archives in each iteration of the event loop.
   * @throws {Problem} when the client has disconnected: none of the rows that are left is drawn then
   */
  turn: () => Promise<void>
  /** @throws {Problem} when it cannot be drawn */
  draw: (file: Omit<CodeFile, 'origin'>) => Promise<Uint8Array>
}

/** The archive of a request. */
export interface Archive extends ImageFiles {
  /** The table of the results, with the tokens. */
  csv: string
  rows: unknown[]
  result: BulkResult
}

/**
 * The files of an archive: the table first, so that no token is lost with an image; then the images, each drawn when the
 * client has read those before it; last the manifest, which says what could not be drawn.
 */
export async function* filesOf({ csv, rows, result, ...images }: Archive): AsyncGenerator<ZippedFile, void> {
  yield file('links.csv', csv)
  const codes = result.results.map((each, at): ImageRow => {
    if ('error' in each) return { error: `${each.error.code}: ${each.error.detail}` }
    // A dry run, which has no archive, has valid rows without a link.
    return 'code' in each
      ? { code: each.code, title: titleOf(rows[at]), hasDesign: hasDesign(rows[at]) }
      : { error: '' }
  })
  yield* imagesOf(codes, images, (files) => writeManifest(rows, result.results, files))
}

/** A code that becomes an image, or why there is none. */
export type ImageRow = { code: string; title: string | undefined; hasDesign: boolean } | { error: string }

/**
 * The images of codes, each drawn when the client has read those before it and its turn has come: archives whose clients begin to
 * read at once would hold the event loop together. Last comes the manifest, which says what could not be drawn.
 * @param writeTable writes the manifest, from a line for each row
 */
export async function* imagesOf(
  rows: Iterable<ImageRow>,
  { names, ending, turn, draw }: ImageFiles,
  writeTable: (files: ManifestLine[]) => string,
): AsyncGenerator<ZippedFile, void> {
  const nameOf = createCodeFileNames(names)
  const files: ManifestLine[] = []
  for (const row of rows) {
    if ('error' in row) {
      files.push({ file: '', error: row.error })
      continue
    }
    await turn()
    const drawn = await orProblem(() => draw(row))
    if (drawn instanceof Problem) files.push({ file: '', error: `${drawn.code}: ${drawn.message}` })
    else {
      const name = `${nameOf(row.code, row.title)}.${ending}`
      files.push({ file: name, error: '' })
      yield file(name, drawn)
    }
  }
  yield file('manifest.csv', writeTable(files))
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
  reply.headers(zipHeaders('links'))
  reply.streamBytes = 2 * archive.csv.length + IMAGE_BYTES
  return reply.send(zipOf(filesOf(archive)))
}

/** @param name of the file, without ending */
export function zipHeaders(name: string): Record<string, string> {
  return { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${name}.zip"` }
}
