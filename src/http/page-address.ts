import type { FastifyRequest } from 'fastify'
import { languages, type Language } from '../texts/language.ts'
import type { Html } from './html.ts'

/** What tells the address that a request asked for. */
export type Asked = Pick<FastifyRequest, 'url' | 'is404'>

/** The parameter with the language of a page. Short links have none: their parameters are for rules and destinations. */
const PARAMETER = 'lang'

/**
 * The paths of the pages of the service, and of files with words: the sample, and what statistics show. One expression for all of
 * them would take their check (`build/check-patterns.ts`) a quarter of a minute.
 */
const pagePaths = [
  /^\/(?:bulk|bulk\/sample\.csv|domains|docs|report|privacy)?\/?$/,
  /^\/m\/[^/]+(?:\/statistics\/[\w.]+|\/placements|\/labels\.pdf|\/print|\/try)?\/?$/,
  /^\/c\/collection_[\w-]+(?:\/(?:links\.csv|codes\.zip|[\w-]+))?(?:\/statistics\/[\w.]+|\/placements|\/labels\.pdf|\/print|\/try)?\/?$/,
  /^\/s\/share_[\w-]+(?:\/statistics\/[\w.]+|\/placements)?\/?$/,
  /^\/[\w-]+\+\/?$/,
]

const isPagePath = (path: string) => pagePaths.some((each) => each.test(path))

/** Whether an address has a language: one of a page of the service, or one that nothing has, except below `/api`. */
export function hasLanguage({ url, is404 }: Asked): boolean {
  const { path } = partsOf(url)
  return isPagePath(path) || (is404 && !/^\/api(?:\/|$)/.test(path))
}

/** The language that the address of a page names: `?lang=de`. Whatever else it names is ignored. */
export function chosenLanguage(asked: Asked): Language | undefined {
  if (!hasLanguage(asked)) return undefined
  const value = new URLSearchParams(partsOf(asked.url).query).get(PARAMETER)
  return languages.find((language) => language === value)
}

/** The address of a page in a language; undefined stands for the one that the client prefers. */
export function addressIn(language: Language | undefined, address: string): string {
  const { path, query, fragment } = partsOf(address)
  const others = query.split('&').filter((pair) => pair !== '' && !isLanguage(pair))
  const pairs = language === undefined ? others : [...others, `${PARAMETER}=${language}`]
  return `${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}${fragment}`
}

/** The same page in a language, relative to its address, so that no path of a request gets into a page. */
export function queryIn(language: Language, { url }: Asked): string {
  return addressIn(language, `?${partsOf(url).query}`)
}

/** Whether the address of a page has no parameter except its language. */
export function isPlain({ url }: Asked): boolean {
  return !addressIn(undefined, url).includes('?')
}

/** Of one parameter of a query. */
function isLanguage(pair: string): boolean {
  return new URLSearchParams(`&${pair}`).has(PARAMETER)
}

function partsOf(address: string): { path: string; query: string; fragment: string } {
  const [rest = '', ...fragments] = address.split('#')
  const [path = '', ...queries] = rest.split('?')
  return { path, query: queries.join('?'), fragment: fragments.map((each) => `#${each}`).join('') }
}

/** Only templates write quotation marks: in texts they are escaped. */
const addressed = /\s(href|action)="(\/[^"]*)"/g
const form = /<form\s[^<>]*>/g

/**
 * A rendered page whose links and forms lead to other pages of the service in its language. This is the one place that does
 * so: whoever writes a link need not know of it, and links to short links, files, images and the API are left alone.
 */
export function keepLanguage({ markup }: Html, language: Language): Html {
  const linked = markup.replace(addressed, (attribute, name: string, address: string) => {
    const { path, query, fragment } = partsOf(address)
    if (!isPagePath(path)) return attribute
    return ` ${name}="${path}?${query && `${query}&amp;`}${PARAMETER}=${language}${fragment}"`
  })
  // The inputs of a form that is not posted replace the query of its address.
  const input = `<input type="hidden" name="${PARAMETER}" value="${language}" />`
  return { markup: linked.replace(form, (tag) => (tag.includes('method="post"') ? tag : tag + input)) }
}
