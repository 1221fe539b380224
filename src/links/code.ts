import { randomSlice } from '../lib/random-slice.ts'

/** What a code, and so an alias, may look like. */
export const CODE_PATTERN = '^[A-Za-z0-9_-]{1,64}$'
const codeShape = new RegExp(CODE_PATTERN)

/** Digits and letters that are not taken for one another when read from paper. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

const FIRST_LENGTH = 7

/** How many codes of one length are tried: a collision among 27 billion is rare until they are nearly used up. */
const TRIES_OF_A_LENGTH = 3

/** Words that pages may want one day; those that routes take today come from the route table. */
const keptWords =
  'about abuse account admin api app assets auth billing blog bulk contact dashboard dns docs domains download export ' +
  'favicon health help home images img import index internal legal links login logout manage metrics new oauth pages ' +
  'pricing privacy public qr register report reports robots s search security settings signup sitemap sso static stats ' +
  'status support terms token tokens user users well-known www'

/** Whether no link may have this code, because a page of ours has or may get its address. */
export type IsReserved = (code: string) => boolean

/** The words that are no codes; `reserve` adds those that routes take. */
export function createReserved(): { isReserved: IsReserved; reserve: (word: string) => void } {
  const words = new Set(keptWords.split(' '))
  return {
    isReserved: (code) => words.has(code.toLowerCase()),
    reserve: (word) => void words.add(word.toLowerCase()),
  }
}

/** Whether a text can be a code at all. */
export function isCode(text: string): boolean {
  return codeShape.test(text)
}

/** The form under which codes are unique and looked up. */
export function codeKey(code: string): string {
  return code.toLowerCase()
}

/** A random code for the given attempt, counted from 0; longer with every few collisions. */
export function randomCode(attempt: number): string {
  const length = FIRST_LENGTH + Math.floor(attempt / TRIES_OF_A_LENGTH)
  let code = ''
  while (code.length < length) {
    // Five bits a character; what is no place in the alphabet is drawn again, so that all are as likely.
    for (const byte of randomSlice(length - code.length)) code += alphabet[byte % 32] ?? ''
  }
  return code
}
