import { getPublicSuffix } from 'tldts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { isCode } from '../links/code.ts'
import { canonicalise, expressionOf } from './canonical.ts'
import { isAddress } from './expressions.ts'

/** What an operator or a reporter names: a code of ours, or an expression that lists hosts and URLs. */
export type Subject = { code: string } | { entry: string }

/** The code that a text names, alone or as a short URL (also as a scanner shows it, with `+`, or of its image); undefined when it names none. */
export function codeOf(text: string, owns: (url: URL) => boolean): string | undefined {
  const trimmed = text.trim()
  if (isCode(trimmed)) return trimmed
  const url = URL.parse(/^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`)
  if (url === null || !owns(url)) return undefined
  const [, code = ''] =
    /^\/([A-Za-z0-9_-]{1,64})(?:\+|\.[Qq]|\.vcf|\/qr\.(?:png|svg|pdf))?\/?$/.exec(url.pathname) ?? []
  return isCode(code) ? code : undefined
}

/**
 * Reads what an operator names. A name with a dot is a host, since no code has one.
 * @throws {Problem} 400 when it is neither, or so many hosts that it must be a mistake
 */
export function readSubject(text: unknown, owns: (url: URL) => boolean): Subject {
  if (typeof text !== 'string' || text.trim() === '') throw refusal('must name a code, a host or a URL')
  const code = codeOf(text, owns)
  if (code !== undefined) return { code }
  const canonical = canonicalise(text)
  const { host } = canonical
  if (!/^[\w.-]+$/.test(host) && !isAddress(host)) throw refusal(`is neither a code nor a host nor a URL: ${text}`)
  if (!isAddress(host) && !host.includes('.')) throw refusal(`is neither a code nor a public host: ${text}`)
  if (!isAddress(host) && getPublicSuffix(host, { extractHostname: false }) === host) {
    throw refusal(`is too much: ${host} is a public suffix, below which everyone's names are`)
  }
  if (owns(new URL(`https://${host}/`))) throw new Problem('invalid_request', `${host} is this service itself`)
  return { entry: expressionOf(canonical) }
}

function refusal(detail: string): Problem {
  return invalidRequest([{ pointer: '/subject', detail }])
}
