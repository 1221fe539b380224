import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidRequest, Problem } from '../http/problem.ts'
import { dataUriOf } from '../qr/logo/logo.ts'
import { MAX_LOGO_URI } from '../qr/design/schema.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a form may bring a file, which makes it larger than the route's `bodyLimit`. */
    takesFile?: boolean
  }
}

/**
 * The largest form without a file. 100 buttons, each with an address of 2,048 characters that are all percent-encoded
 * and a label of 100 in any script, are 734 KiB; everything else of a form is 40.
 */
export const FORM_LIMIT = 1024 * 1024
/** The largest form with one: a new logo and the one that waits are 256 KiB and its data URI. */
const FILE_FORM_LIMIT = 2 * 1024 * 1024
/** 100 buttons have 200. */
const MAX_PAIRS = 1_000

/**
 * Of a field as much is kept as a logo's data URI can be, and of a file a little more than may be in one, so that it is
 * still too large afterwards.
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
      const limit = routeOptions.config.takesFile ? FILE_FORM_LIMIT : routeOptions.bodyLimit
      const body = await readAtMost(
        payload,
        limit,
        'the file is far too large; go back, and choose one of at most 256 KiB',
      )
      await request.waitForStart?.()
      return parseMultipart(body, headers['content-type'] ?? '')
    },
  )
}

/** Pair by pair: the parser of a whole form looks for the next "=" through all that follows, for each pair without one. */
function parsePairs(body: Buffer): URLSearchParams {
  const form = new URLSearchParams()
  requireFew(body, '&', MAX_PAIRS - 1)
  for (const pair of body.toString().split('&')) {
    // Behind a "&", because a "?" at the very start would be dropped.
    for (const [name, value] of new URLSearchParams(`&${pair}`)) form.append(name, value)
  }
  return form
}

/** Counts what parts the fields, before anything is taken apart. */
function requireFew(body: Buffer, edge: string, most: number): number {
  let count = 0
  for (let at = body.indexOf(edge); at !== -1; at = body.indexOf(edge, at + edge.length)) {
    if (++count > most) throw invalidRequest([{ pointer: '', detail: `must have at most ${MAX_PAIRS} fields` }])
  }
  return count
}

/** Reads a form with files (RFC 7578); of each file that was chosen, its data URI. */
async function parseMultipart(body: Buffer, contentType: string): Promise<URLSearchParams> {
  const boundary = /;\s*boundary="?([^";]+)/i.exec(contentType)?.[1]?.trim() ?? ''
  try {
    if (boundary === '' || boundary.length > MAX_BOUNDARY) throw new Error('no boundary, or one that is too long')
    const edges = requireFew(body, `--${boundary}`, MAX_PAIRS + 1)
    const parts = await readParts(body, boundary)
    // One edge is the last. What the parser could not make sense of it leaves out, and half a form is none.
    if (parts.length !== edges - 1) throw new Error('a part without its headers')
    const form = new URLSearchParams()
    for (const [name, value] of parts) if (value !== undefined) form.append(name, value)
    return form
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('invalid_request', 'the form is not multipart/form-data as it should be, or is cut off', {
      cause: error,
    })
  }
}

type Part = [name: string, value: string | undefined]

function readParts(body: Buffer, boundary: string): Promise<Part[]> {
  // Just this boundary, whatever else the header says.
  const busboy = new Busboy({ headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` }, limits })
  const parts: Part[] = []
  return new Promise((resolve, reject) => {
    // A part without a name belongs to no input.
    busboy.on('field', (name: string | undefined, value) => parts.push([name ?? '', value]))
    busboy.on('file', (name: string | undefined, file, filename: string | undefined) => {
      const chunks: Buffer[] = []
      file.on('data', (chunk: Buffer) => chunks.push(chunk))
      file.on('error', reject)
      file.on('end', () => {
        const content = Buffer.concat(chunks)
        // An input without a file sends one without a name.
        const isChosen = Boolean(filename) || content.length > 0
        parts.push([name ?? '', isChosen ? dataUriOf(content) : undefined])
      })
    })
    busboy.on('error', reject)
    busboy.on('finish', () => resolve(parts))
    busboy.end(body)
  })
}

/** So much more than its limit is read of a body, and thrown away: browsers show no answer to what they could not send. */
const MAX_DISCARDED = 64 * 1024 * 1024

async function readAtMost(payload: AsyncIterable<Uint8Array>, limit: number, excess: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of payload) {
      size += part.length
      if (size <= limit) parts.push(part)
      else parts.length = 0
      if (size > limit + MAX_DISCARDED) break
    }
  } catch (error) {
    // The sender has hung up: nobody reads this.
    throw new Problem('invalid_request', 'the body ends too early', { cause: error })
  }
  if (size <= limit) return Buffer.concat(parts)
  throw new Problem('body_too_large', excess)
}
