import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../http/problem.ts'
import { dataUriOf } from '../qr/logo/logo.ts'
import type { FormField } from '../links/kinds/kind.ts'

/** The UTM parameters that forms offer; the API takes others as well. */
export const utmInputs = [
  { name: 'utm_source', label: 'UTM source', hint: 'where the code is shown: flyer, window, newsletter' },
  { name: 'utm_medium', label: 'UTM medium', hint: 'qr, print, email' },
  { name: 'utm_campaign', label: 'UTM campaign', hint: 'what it is part of' },
]

/** Makes `app` read what HTML forms send. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  )
  app.addContentTypeParser('multipart/form-data', readMultipart)
}

/** Reads a form with files (RFC 7578); of each file that was chosen, its data URI. */
async function readMultipart(request: FastifyRequest, payload: AsyncIterable<Uint8Array>): Promise<URLSearchParams> {
  const body = await readAtMost(payload, request.routeOptions.bodyLimit)
  const fields = new URLSearchParams()
  for (const [name, value] of await parseMultipart(body, request.headers['content-type'] ?? '')) {
    if (typeof value === 'string') fields.append(name, value)
    // An input without a file sends one without a name.
    else if (value.name !== '' || value.size > 0) fields.append(name, dataUriOf(await value.bytes()))
  }
  return fields
}

async function parseMultipart(body: Buffer<ArrayBuffer>, contentType: string): Promise<FormData> {
  const boundary = /;\s*boundary="?([^";]+)/i.exec(contentType)?.[1]?.trim() ?? ''
  try {
    if (!hasFewParts(body, `--${boundary}`)) throw new Error('too many parts, or none')
    // Just this boundary, whatever else the header says.
    const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` }
    return await new Response(body, { headers }).formData()
  } catch (error) {
    throw new Problem('invalid_request', 'the form is not multipart/form-data as it should be, or is cut off', {
      cause: error,
    })
  }
}

// Our forms have some 40 parts. To take tens of thousands apart, or one with endless headers, would hold everyone up.
const MAX_PARTS = 200
const MAX_PART_HEAD = 2048

function hasFewParts(body: Buffer, edge: string): boolean {
  let parts = 0
  for (let at = body.indexOf(edge); at !== -1; at = body.indexOf(edge, at + edge.length)) {
    const head = body.subarray(at + edge.length, at + MAX_PART_HEAD)
    if (++parts > MAX_PARTS || !(head.includes('\r\n\r\n') || head.indexOf('--') === 0)) return false
  }
  return parts > 0
}

/** So much more than its limit is read of a body, and thrown away: browsers show no answer to what they could not send. */
const MAX_DISCARDED = 64 * 1024 * 1024

async function readAtMost(payload: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer<ArrayBuffer>> {
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
  throw new Problem('body_too_large', 'the file is far too large; go back, and choose one of at most 256 KiB')
}

/** The body of a request that may have had none. */
export function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/**
 * The filled-in fields as the API takes them; what was left empty is not there. Browsers send line ends as CRLF
 * (HTML, "constructing the entry list"); the owner meant a line end.
 */
export function filledFields(form: URLSearchParams, fields: FormField[]): Record<string, unknown> {
  const entries = fields.map(({ name, input }) => {
    if (input === 'links') return [name, filledLinks(form)] as const
    const text = form.get(name)?.replaceAll('\r\n', '\n') ?? ''
    if (text.trim() === '') return [name, undefined] as const
    return [name, input === 'url' ? withScheme(text) : text] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** People write addresses without their scheme. */
function withScheme(text: string): string {
  const address = text.trim()
  return /^[^\s:/?#]+\.[^\s:/?#]+(?:[/?#]|$)/.test(address) ? `https://${address}` : address
}

function filledLinks(form: URLSearchParams): { label: string; url: string }[] | undefined {
  const urls = form.getAll('link_url')
  const pairs = form.getAll('link_label').map((label, at) => ({ label, url: withScheme(urls[at] ?? '') }))
  const filled = pairs.filter(({ label, url }) => label.trim() !== '' || url !== '')
  return filled.length > 0 ? filled : undefined
}

/** The UTM pairs of a form on top of those that it does not show. */
export function filledUtm(form: URLSearchParams, before: Record<string, string> = {}): Record<string, string> {
  const filled = { ...before }
  for (const { name } of utmInputs) filled[name] = form.get(name)?.trim() ?? filled[name] ?? ''
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value))
}
