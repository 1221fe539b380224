import { randomSlice } from '../lib/random-slice.ts'

/** The syntax of codes, and so of aliases. */
export const CODE_PATTERN = '^[A-Za-z0-9_-]{1,64}$'
const codeExpression = new RegExp(CODE_PATTERN)

/** Digits and letters that readers of print do not confuse. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

const MIN_LENGTH = 7

/** Collisions among 27 billion codes of one length are rare until nearly all are used. */
const ATTEMPTS_PER_LENGTH = 3

/** Words for future pages; the route table adds those of today's routes. */
const futureWords =
  'about abuse account admin api app assets auth billing blog bulk contact dashboard dns docs domains download export ' +
  'favicon health help home images img import index internal legal links login logout manage metrics new oauth pages ' +
  'pricing privacy public qr register report reports robots s search security settings signup sitemap sso static stats ' +
  'status support terms token tokens user users well-known www'

/** Whether no link may have this code, because a page of the service has or may get its path. */
export type IsReserved = (code: string) => boolean

/** The reserved words; `reserve` adds those of routes. */
export function createReserved(): { isReserved: IsReserved; reserve: (word: string) => void } {
  const words = new Set(futureWords.split(' '))
  return {
    isReserved: (code) => words.has(code.toLowerCase()),
    reserve: (word) => void words.add(word.toLowerCase()),
  }
}

/** Whether a text has the syntax of a code. */
export function isCode(text: string): boolean {
  return codeExpression.test(text)
}

/** The form under which codes are unique and looked up. */
export function codeKey(code: string): string {
  return code.toLowerCase()
}

/** A random code for an attempt, counted from 0; every few collisions it gets longer. */
export function randomCode(attempt: number): string {
  const length = MIN_LENGTH + Math.floor(attempt / ATTEMPTS_PER_LENGTH)
  let code = ''
  while (code.length < length) {
    // Five bits a character. An index beyond the alphabet is drawn again, so that all characters are equally likely.
    for (const byte of randomSlice(length - code.length)) code += alphabet[byte % 32] ?? ''
  }
  return code
}
