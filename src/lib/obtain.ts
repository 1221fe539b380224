import { createWriteStream } from 'node:fs'
import { copyFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { basename } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import ipaddr from 'ipaddr.js'
import { isLoopback } from './host.ts'
import { isPublicAddress } from './public-address.ts'

/** Sends a request without following redirects; the implementation sets a time-out. */
export type Fetch = (url: URL, headers: Record<string, string>) => Promise<Response>

/** Validators of a response for the next request (RFC 9110, 8.8); for a file its size and time. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

export interface ObtainOptions {
  /** The validators of the last response. */
  known: Validators | undefined
  fetch: Fetch
  /** The purpose, for the `User-Agent`. */
  purpose: string
  /** The largest source, in bytes; 512 MiB by default. */
  maxBytes?: number
}

const MAX_BYTES = 512 * 1024 * 1024
const MAX_REDIRECTS = 5

/** Whether a source is a URL, and not a file. */
export function isRemote(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** The display name of a source: host and file name, without the folders and the query, which may contain a secret key. */
export function sourceName(source: string): string {
  if (!isRemote(source)) return basename(source)
  const { host, pathname } = new URL(source)
  return [host, basename(pathname)].filter(Boolean).join('/')
}

/**
 * Downloads or copies a source into `file`.
 * @returns the new validators; undefined when the source has not changed
 * @throws {Error} whose message has a cause that may be shown publicly
 */
export function obtain(source: string, file: string, options: ObtainOptions): Promise<Validators | undefined> {
  return isRemote(source) ? download(source, file, options) : copy(source, file, options)
}

async function copy(source: string, file: string, options: ObtainOptions): Promise<Validators | undefined> {
  const { known, maxBytes = MAX_BYTES } = options
  try {
    const { size, mtimeMs, ino } = await stat(source)
    const etag = `${size}-${mtimeMs}-${ino}`
    if (etag === known?.etag) return undefined
    if (size > maxBytes) throw tooLarge(maxBytes)
    await copyFile(source, file)
    return { etag, lastModified: null }
  } catch (error) {
    // The system's message contains the path, and `/readyz` shows this error to everyone.
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(code === undefined ? message : `it cannot be read (${code})`, { cause: error })
  }
}

async function download(source: string, file: string, options: ObtainOptions): Promise<Validators | undefined> {
  const { known, fetch, purpose, maxBytes = MAX_BYTES } = options
  const headers = {
    'user-agent': `quirl (${purpose})`,
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  }
  const response = await follow(source, (url) => fetch(url, headers))
  if (response.status === 304 && known !== undefined) return undefined
  if (response.status !== 200 || response.body === null) throw new Error(`it answered ${response.status}`)
  let bytes = 0
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > maxBytes ? tooLarge(maxBytes) : null, chunk)
    },
  })
  await pipeline(Readable.fromWeb(response.body), limit, createWriteStream(file, { mode: 0o600 }))
  return { etag: response.headers.get('etag'), lastModified: response.headers.get('last-modified') }
}

/** Follows redirects that are as safe as the source: anyone on the network could forge a response without TLS. */
async function follow(source: string, request: (url: URL) => Promise<Response>): Promise<Response> {
  let url = new URL(source)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await request(url)
    const location = [301, 302, 303, 307, 308].includes(response.status) && response.headers.get('location')
    if (!location) return response
    await response.body?.cancel()
    const next = new URL(location, url)
    if (next.protocol !== 'https:' && next.origin !== url.origin)
      throw new Error(`it redirects to ${next.origin}, without TLS`)
    if (next.origin !== url.origin && isInternal(next.hostname))
      throw new Error(`it redirects to ${next.origin}, which is not public`)
    url = next
  }
  throw new Error(`it redirects more than ${MAX_REDIRECTS} times`)
}

/** A publisher must not make this service send requests to its internal network. */
function isInternal(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? isLoopback(host) : !isPublicAddress(ipaddr.process(address))
}

function tooLarge(maxBytes: number): Error {
  return new Error(`it is larger than ${maxBytes / 1024 / 1024} MiB`)
}

/** The reason of an error: `fetch` has it in the cause only. */
export function faultOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && message === 'fetch failed'
    ? `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}`
    : message
}
