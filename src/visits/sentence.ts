import type { IsReserved } from '../links/code.ts'

/** A path of one code, perhaps with an ending that has a meaning, and what comes after it before the query. */
const followedCode = /^(\/([A-Za-z0-9_-]{1,64})(?:\.Q|\.q|\.vcf)?)([^A-Za-z0-9_/?-][^/?]*)(\?|$)/

/** Punctuation, symbols, blanks and invisible characters. */
const ofSentences = /^[\p{P}\p{S}\p{Z}\p{Cf}\p{Cc}]+$/u

/** The plus of previews, what separates parts of a path, and what was not UTF-8. */
const neverOfSentences = /[+/\\\ufffd]/

/**
 * The URL without what a sentence puts after a code, as mail programs and chats send it along: `/k7dw3nq),` becomes
 * `/k7dw3nq`, also percent-encoded. Every other URL stays as it is.
 */
export function withoutSentence(url: string, isReserved: IsReserved): string {
  const [, path = '', code = '', after = ''] = followedCode.exec(url) ?? []
  if (path === '' || isReserved(code)) return url
  const text = decode(after)
  if (!ofSentences.test(text) || neverOfSentences.test(text)) return url
  return path + url.slice(path.length + after.length)
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
