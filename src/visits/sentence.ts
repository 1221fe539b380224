import type { IsReserved } from '../links/code.ts'
import { codeEndings } from '../links/kinds/index.ts'

/** A path that begins with one code, which nothing that a code may have follows. */
const firstCode = /^\/([A-Za-z0-9_-]+)/
const MAX_CODE = 64

/** An ending like those that have a meaning. */
const ending = /^\.([A-Za-z]{1,8})(?![A-Za-z0-9_-])/

/** Punctuation, symbols, blanks and invisible characters. */
const ofSentences = /^[\p{P}\p{S}\p{Z}\p{Cf}\p{Cc}]+$/u

/** The plus of previews, what separates parts of a path, and what was not UTF-8. */
const neverOfSentences = /[+/\\\ufffd]/

/**
 * The URL without what a sentence puts after a code, as mail programs and chats send it along: `/k7dw3nq),` becomes
 * `/k7dw3nq`, also percent-encoded. Every other URL stays as it is.
 */
export function withoutSentence(url: string, isReserved: IsReserved): string {
  const [begin = '', code = ''] = firstCode.exec(url) ?? []
  if (begin === '' || code.length > MAX_CODE || isReserved(code)) return url
  const end = url.indexOf('?', begin.length)
  const rest = url.slice(begin.length, end === -1 ? undefined : end)
  const kept = endingOf(rest)
  const text = decode(rest.slice(kept.length))
  if (!ofSentences.test(text) || neverOfSentences.test(text)) return url
  return begin + kept + url.slice(begin.length + rest.length)
}

/** The ending with which what follows a code begins; empty where it has no meaning. */
function endingOf(rest: string): string {
  const [found = '', name = ''] = ending.exec(rest) ?? []
  return codeEndings.has(name) ? found : ''
}

/** Empty where the text is not encoded UTF-8. */
function decode(text: string): string {
  try {
    // Node reads bytes that were not percent-encoded as Latin-1.
    return decodeURIComponent(Buffer.from(text, 'latin1').toString())
  } catch {
    return ''
  }
}
