import { getPublicSuffix } from 'tldts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { isCode } from '../links/code.ts'
import { codeEndings } from '../links/kinds/index.ts'
import { canonicalise, expressionOf } from './canonical.ts'
import { isAddress } from './expressions.ts'

/** The subject of an operation: an expression for hosts and URLs, or a code of this service. */
export type Subject =
  | { expression: string }
  | {
      code: string
      /** Of a short URL: the expression that a list or a rule has for it, as its host may be a custom domain. */
      shortUrl?: string
    }

/** The code in a text: a bare code, or a short URL, also with `+` or of an image. Undefined when there is none. */
export function codeOf(text: string, owns: (url: URL) => boolean): string | undefined {
  const trimmed = text.trim()
  if (isCode(trimmed)) return trimmed
  const url = URL.parse(/^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`)
  return url !== null && owns(url) ? codeInPath(url) : undefined
}

/** The code that a URL would have as a short URL. */
export function codeInPath({ pathname }: URL): string | undefined {
  const [, code = '', extension] =
    /^\/([A-Za-z0-9_-]{1,64})(?:\+|\.([A-Za-z]{1,8})|\/(?:qr\.(?:png|svg|pdf)|print\.pdf))?\/?$/.exec(pathname) ?? []
  return isCode(code) && (extension === undefined || codeEndings.has(extension)) ? code : undefined
}

/**
 * Parses the subject of an operation. A text with a dot is a host, because codes have none.
 * @param mayBeOwn whether it may be a host of this service: a list may have a custom domain, and a rule be older than the host
 * @throws {Problem} 400 when it is neither, or a public suffix, which must be a mistake
 */
export function readSubject(text: unknown, owns: (url: URL) => boolean, mayBeOwn = false): Subject {
  if (typeof text !== 'string' || text.trim() === '') throw invalidSubject('must be a code, a host or a URL')
  const code = codeOf(text, owns)
  if (code !== undefined) return { code, ...shortUrlIn(text) }
  const canonical = canonicalise(text)
  const { host } = canonical
  if (!/^[\w.-]+$/.test(host) && !isAddress(host))
    throw invalidSubject(`is neither a code nor a host nor a URL: ${text}`)
  if (!isAddress(host) && !host.includes('.')) throw invalidSubject(`is neither a code nor a public host: ${text}`)
  if (!isAddress(host) && getPublicSuffix(host, { extractHostname: false }) === host) {
    throw invalidSubject(`is too broad: ${host} is a public suffix, under which anyone can have names`)
  }
  if (!mayBeOwn) refuseOwn(host, owns)
  return { expression: expressionOf(canonical) }
}

const shortUrlIn = (text: string) => (isCode(text.trim()) ? {} : { shortUrl: expressionOf(canonicalise(text)) })

function refuseOwn(host: string, owns: (url: URL) => boolean): void {
  if (owns(new URL(`https://${host}/`))) throw new Problem('invalid_request', `${host} is this service itself`)
}

function invalidSubject(detail: string): Problem {
  return invalidRequest([{ pointer: '/subject', detail }])
}
