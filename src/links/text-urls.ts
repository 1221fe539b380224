import { MAX_URL_LENGTH } from '../http/fields.ts'
import type { Content } from './link.ts'
import type { FieldUrl } from './trim-urls.ts'

/** What ends an address: a space, and what HTML and texts put around one. */
const SEPARATORS = /[\s<>"“”„«»‹›‘’`|]+/u
const OUTSIDE = new Set(".,;:!?()[]{}*_'…-")
/** Units of an address; what is longer, as a picture is, is none. */
const MAX_LENGTH = 2 * MAX_URL_LENGTH
const SCHEME = /^https?:\/\//i
/** Without a scheme, as people write it: a host of several labels; no address of mail. */
const BARE = /^[^\s/?#@:]+\.[^\s/?#@:.]{2,}\.?(?:[:/?#]|$)/u

/**
 * The addresses in the title and the texts of a link, those of its rules included, with a scheme or without one, as often as they are there.
 * @param fields the pointers of fields that are addresses, and no texts
 */
export function urlsInTexts(
  { title, payload, rules }: Pick<Content, 'title' | 'payload' | 'rules'>,
  fields: ReadonlySet<string>,
): FieldUrl[] {
  const texts = Object.entries(payload).flatMap(([name, value]) => inValue(`/${name}`, value))
  const endings = rules.flatMap(({ then: { ended } }, at) => inValue(`/rules/${at}/then/ended`, ended))
  return [...inValue('/title', title), ...texts, ...endings].filter(({ pointer }) => !fields.has(pointer))
}

/** Looks into lists and objects as well: the label of a button is a text. */
function inValue(pointer: string, value: unknown): FieldUrl[] {
  if (typeof value === 'string') return addressesIn(value).map((url) => ({ pointer, url }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => inValue(`${pointer}/${name}`, each))
}

function addressesIn(text: string): string[] {
  return text.split(SEPARATORS).flatMap((word) => {
    const address = trim(word)
    const isWhole = SCHEME.test(address)
    if (address.length > MAX_LENGTH || !(isWhole || BARE.test(address))) return []
    const url = isWhole ? address : `http://${address}`
    return URL.canParse(url) ? [url] : []
  })
}

/** Without what sentences put around an address. */
function trim(word: string): string {
  let [start, end] = [0, word.length]
  while (start < end && OUTSIDE.has(word[start] ?? '')) start++
  while (start < end && OUTSIDE.has(word[end - 1] ?? '')) end--
  return word.slice(start, end)
}
