import { MAX_URL_LENGTH } from '../http/fields.ts'
import type { FieldError } from '../http/problem.ts'
import type { Content } from './link.ts'
import type { FieldUrl } from './trim-urls.ts'

/** What ends an address: a space, what turns the direction of texts, and what HTML and texts put around one. */
const SEPARATORS = /[\s\p{Bidi_C}<>"“”„«»‹›‘’`|]+/u
const OUTSIDE = new Set(".,;:!?()[]{}*_'…-")
/** Units of an address; what is longer, as a picture is, is none. */
const MAX_LENGTH = 2 * MAX_URL_LENGTH
/** Units of a host name, as `url-policy.ts` bounds them: bringing those of a longer one in order takes milliseconds. */
const MAX_HOST = 512
/** What the addresses in the texts of a link may have in characters, with so many more for each: all are compared with the lists. */
const [MAX_TOGETHER, OF_EACH] = [65_536, 64]
const SCHEME = /^https?:\/\//i
/** Where an address begins although no space is before it. */
const BEFORE_SCHEME = /(?=https?:\/\/)/i
const SCHEME_BEFORE = /https?:\/\/$/i
/** Without a scheme, as people write it: a host of several labels; no address of mail. */
const BARE = /^[^\s/?#@:]+\.[^\s/?#@:.]{2,}\.?(?:[:/?#]|$)/u
/** What a name may be made of; the stops of East Asian scripts are dots to browsers. */
const NAMES = /[\p{L}\p{M}\p{N}\p{Cf}._\u3002\uff0e\uff61-]+/gu
const STOPS = /[.\u3002\uff0e\uff61]/g
/** A word in which no other name can be, as most are. */
const IS_NAME = /^[\w.-]*$/
/** The same where texts have no spaces: without the letters of the scripts that write words together. */
const NAMES_BETWEEN = /[\w.-]+/g
const WRITTEN_TOGETHER = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u
/** Of at least two labels, of which the last has two characters. */
const HOST = /^[^.\u3002\uff0e\uff61].*[.\u3002\uff0e\uff61][^.\u3002\uff0e\uff61]{2,}$/su
/** The rest of an address after its host. */
const AFTER_HOST = /^\.?(?::\d+)?(?:[/?#].*|$)/su
/** What is in names, and neither their first character nor their last. */
const WITHIN_NAMES = /[\p{M}\p{Cf}._\u3002\uff0e\uff61-]/u
const MAIL_BEFORE = /[\p{L}\p{N}]@$/u

/**
 * The addresses in the title and the texts of a link, with a scheme or without one. What phones and mail programs make links of
 * differs: whatever one of them may find is among them, also what stands in an address.
 * @param fields the pointers of fields that are addresses, and no texts
 */
export function urlsInTexts(
  { title, payload, rules }: Pick<Content, 'title' | 'payload' | 'rules'>,
  fields: ReadonlySet<string>,
): FieldUrl[] {
  const inField = (pointer: string, value: unknown) => inValue(pointer, value, fields)
  const texts = Object.entries(payload).flatMap(([name, value]) => inField(`/${name}`, value))
  const ended = rules.flatMap(({ then }, at) => inField(`/rules/${at}/then/ended`, then.ended))
  return [...inField('/title', title), ...texts, ...ended]
}

/**
 * The error of texts in which so many addresses are found that to compare them takes long: `t.co/` 400 times is 400 addresses, of
 * which the first has 2,000 characters.
 */
export function textUrlErrors(found: readonly FieldUrl[]): FieldError[] {
  let together = 0
  const beyond = found.find(({ url }) => (together += url.length + OF_EACH) > MAX_TOGETHER)
  const detail = `names too many addresses: those in all texts of a link have at most ${MAX_TOGETHER} characters together, each counted with ${OF_EACH} more, and to its end`
  return beyond === undefined ? [] : [{ pointer: beyond.pointer, detail }]
}

/** Looks into lists and objects as well: the label of a button is a text. A link has up to a hundred addresses of 2 KB, which are none. */
function inValue(pointer: string, value: unknown, fields: ReadonlySet<string>): FieldUrl[] {
  if (fields.has(pointer)) return []
  if (typeof value === 'string') return [...addressesIn(value)].map((url) => ({ pointer, url }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => inValue(`${pointer}/${name}`, each, fields))
}

function addressesIn(text: string): Set<string> {
  const words = text.split(SEPARATORS)
  const addresses = words.flatMap((word) => [word, ...word.split(BEFORE_SCHEME).slice(1), ...namedIn(word)])
  // Most are found in both ways.
  const different = new Set(addresses.map(trim))
  return new Set(Array.from(different).flatMap((each) => urlIn(each) ?? []))
}

/** The URL that a word is, if it is one. */
function urlIn(address: string): string | undefined {
  const isWhole = SCHEME.test(address)
  if (address.length > MAX_LENGTH || !(isWhole || BARE.test(address))) return undefined
  const url = isWhole ? address : `http://${address}`
  const [host = ''] = url.slice(url.indexOf('//') + 2).split(/[/?#]/, 1)
  return host.length <= MAX_HOST && URL.canParse(url) ? url : undefined
}

/** The addresses that begin with the name of a host anywhere in a word, after a colon, an arrow or another script for example. */
function namedIn(word: string): string[] {
  if (word.length > MAX_LENGTH || IS_NAME.test(word) || word.search(STOPS) === -1) return []
  const names = [...word.matchAll(NAMES), ...(WRITTEN_TOGETHER.test(word) ? word.matchAll(NAMES_BETWEEN) : [])]
  return names.flatMap(({ 0: found, index }) => {
    const [from, to] = insideOf(found, (each) => WITHIN_NAMES.test(each))
    const [host, start] = [found.slice(from, to), index + from]
    const head = word.slice(0, start)
    if (host.length > MAX_HOST || !HOST.test(host) || MAIL_BEFORE.test(head)) return []
    const [scheme = ''] = SCHEME_BEFORE.exec(head) ?? []
    return scheme + host.replaceAll(STOPS, '.') + (AFTER_HOST.exec(word.slice(start + host.length))?.[0] ?? '')
  })
}

/** Without what sentences put around an address. */
function trim(word: string): string {
  return word.slice(...insideOf(word, (each) => OUTSIDE.has(each)))
}

/** Where a text begins and ends without certain characters around it. */
function insideOf(text: string, isOutside: (character: string) => boolean): [start: number, end: number] {
  let [start, end] = [0, text.length]
  while (start < end && isOutside(text.charAt(start))) start++
  while (start < end && isOutside(text.charAt(end - 1))) end--
  return [start, end]
}
