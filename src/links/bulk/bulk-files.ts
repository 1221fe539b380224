import type { FastifyReply } from 'fastify'
import { zipOf, type ZippedFile } from '../../http/zip.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import type { BulkResult } from './bulk.ts'
import type { CreatedLink } from '../insert.ts'

/** Sends the results as a file. */
export function sendCsv(reply: FastifyReply, csv: string): FastifyReply {
  reply.headers({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="links.csv"',
  })
  return reply.send(csv)
}

/** How long visits may wait while images are drawn, in milliseconds. */
const SLICE_MS = 5

/** The images of the created links. A client who reads quickly asks for the next one before the event loop has run. */
export async function* imagesOf(
  { results }: BulkResult,
  svgOf: (code: string) => string,
): AsyncGenerator<ZippedFile, void> {
  const pause = yieldEvery(SLICE_MS)
  for (const result of results) {
    if (!('code' in result)) continue
    yield file(imageName(result), svgOf(result.code))
    await pause()
  }
}

/** The prefix avoids names such as "con.svg", which Windows reserves. */
function imageName({ code }: CreatedLink): string {
  return `qr-${code}.svg`
}

const file = (name: string, input: string): ZippedFile => ({ name, input, lastModified: new Date() })

/**
 * Sends the results and their images as a ZIP. It draws each image once the client has read those before it; the CSV and
 * the links stay in memory until the end.
 */
export function sendZip(reply: FastifyReply, csv: string, images: AsyncIterable<ZippedFile>): FastifyReply {
  const all = async function* () {
    yield file('links.csv', csv)
    yield* images
  }
  reply.headers({ 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="links.zip"' })
  reply.streamBytes = 2 * csv.length
  return reply.send(zipOf(all()))
}
