import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidRequest, Problem } from '../http/problem.ts'
import { dataUriOf } from '../qr/logo/logo.ts'
import { MAX_LOGO_URI } from '../qr/design/schema.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a form may hold a file, which may make it larger than the route's `bodyLimit`. */
    acceptsFile?: boolean
    /** The largest file and the longest field of a form of this route, in bytes, in place of those of a logo. */
    fileLimit?: number
  }
}

/**
 * The largest form without a file. 100 buttons, each with an address of 2,048 characters that are all percent-encoded
 * and a label of 100 in any script, are 734 KiB; all other fields are 40.
 */
export const FORM_LIMIT = 1024 * 1024
/** The largest form with a file: a new logo of 256 KiB, and the data URI of one sent before. */
const FILE_FORM_LIMIT = 2 * 1024 * 1024
/** Fields of a form; 100 buttons have 200. */
const MAX_PAIRS = 1_000

/**
 * A field is cut to the length of the longest logo's data URI, and a file to a little more than such a logo holds, so
 * that later checks still find it too large.
 */
const limits = {
  files: 1,
  headerPairs: 10,
  headerSize: 2_048,
  fieldSize: MAX_LOGO_URI + 1,
  fileSize: Math.ceil((MAX_LOGO_URI / 4) * 3) + 1,
}
/** RFC 2046, 5.1.1. */
const MAX_BOUNDARY = 70

/** Makes `app` read what HTML forms send, up to each route's `bodyLimit`. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, payload: AsyncIterable<Uint8Array>) => {
      const body = await readAtMost(payload, request.routeOptions.bodyLimit, 'the form is too large')
      await request.waitForStart?.()
      return parsePairs(body)
    },
  )
  app.addContentTypeParser(
    'multipart/form-data',
    async (request: FastifyRequest, payload: AsyncIterable<Uint8Array>) => {
      const { routeOptions, headers } = request
      const { acceptsFile = false, fileLimit } = routeOptions.config
      const limit = acceptsFile ? FILE_FORM_LIMIT : routeOptions.bodyLimit
      const most = fileLimit === undefined ? '256 KiB' : `${fileLimit / 1024} KiB`
      const body = await readAtMost(payload, limit, `the file is too large: go back and choose one of at most ${most}`)
      await request.waitForStart?.()
      return parseMultipart(body, headers['content-type'] ?? '', fileLimit)
    },
  )
}

/** Parses pair by pair: for each pair without "=", a parser of the whole form would search all that follows for one. */
function parsePairs(body: Buffer): URLSearchParams {
  const form = new URLSearchParams()
  countAtMost(body, '&', MAX_PAIRS - 1)
  for (const pair of body.toString().split('&')) {
    // The "&" keeps a "?" at the start, which URLSearchParams would drop.
    for (const [name, value] of new URLSearchParams(`&${pair}`)) form.append(name, value)
  }
  return form
}

/**
 * Counts the separators of a form's fields, before it is parsed.
 * @throws {Problem} 400 when there are more than `max`
 */
function countAtMost(body: Buffer, separator: string, max: number): number {
  let count = 0
  for (let at = body.indexOf(separator); at !== -1; at = body.indexOf(separator, at + separator.length)) {
    if (++count > max) throw invalidRequest([{ pointer: '', detail: `must have at most ${MAX_PAIRS} fields` }])
  }
  return count
}

/** Parses a form with files (RFC 7578); a chosen file becomes its data URI. */
async function parseMultipart(body: Buffer, contentType: string, fileLimit?: number): Promise<URLSearchParams> {
  const boundary = /;\s*boundary="?([^";]+)/i.exec(contentType)?.[1]?.trim() ?? ''
  try {
    if (boundary === '' || boundary.length > MAX_BOUNDARY) throw new Error('the boundary is missing or too long')
    const boundaries = countAtMost(body, `--${boundary}`, MAX_PAIRS + 1)
    const parts = await readParts(body, boundary, fileLimit)
    // The last boundary ends the form. The parser skips malformed parts, and an incomplete form must be refused.
    if (parts.length !== boundaries - 1) throw new Error('a part has no valid headers')
    const form = new URLSearchParams()
    for (const [name, value] of parts) if (value !== undefined) form.append(name, value)
    return form
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('invalid_request', 'the form is not valid multipart/form-data', { cause: error })
  }
}

type FormPart = [name: string, value: string | undefined]

function readParts(body: Buffer, boundary: string, fileLimit?: number): Promise<FormPart[]> {
  // Busboy must use the boundary that was counted, whatever else the header holds.
  const busboy = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    // A field may have what a file has, in base64.
    limits:
      fileLimit === undefined ? limits : { ...limits, fieldSize: Math.ceil(fileLimit / 3) * 4, fileSize: fileLimit },
  })
  const parts: FormPart[] = []
  return new Promise((resolve, reject) => {
    // A part without a name belongs to no input.
    busboy.on('field', (name: string | undefined, value) => parts.push([name ?? '', value]))
    busboy.on('file', (name: string | undefined, file, filename: string | undefined) => {
      const chunks: Buffer[] = []
      file.on('data', (chunk: Buffer) => chunks.push(chunk))
      file.on('error', reject)
      file.on('end', () => {
        const content = Buffer.concat(chunks)
        // Browsers send a nameless, empty file for an input without one.
        const isChosen = Boolean(filename) || content.length > 0
        parts.push([name ?? '', isChosen ? dataUriOf(content) : undefined])
      })
    })
    busboy.on('error', reject)
    busboy.on('finish', () => resolve(parts))
    busboy.end(body)
  })
}

/** Bytes past the limit that are read and discarded: a browser shows no response to a form it could not send to the end. */
const MAX_DISCARDED = 64 * 1024 * 1024

async function readAtMost(payload: AsyncIterable<Uint8Array>, limit: number, tooLarge: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of payload) {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else chunks.length = 0
      if (size > limit + MAX_DISCARDED) break
    }
  } catch (error) {
    // The client has hung up and will not read this.
    throw new Problem('invalid_request', 'the body ends too early', { cause: error })
  }
  if (size <= limit) return Buffer.concat(chunks)
  throw new Problem('body_too_large', tooLarge)
}
