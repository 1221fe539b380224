import { element } from './element.ts'
import { fillText } from '../../lib/fill-text.ts'
import { locales, type Language } from '../../texts/language.ts'
import type { MyLinksIslandTexts } from '../../texts/my-links.ts'
import type { KeptLink } from '../my-links/kept-links.ts'
import type { Counts, LinkCounts } from './my-links-statistics.ts'
import { pageAddress } from './page-address.ts'

/** What the rows have in common. */
export interface Words {
  texts: MyLinksIslandTexts
  /** Of the short links. */
  origin: string
  /** A number of things, in words. */
  count: (forms: { one: string; more: string }, count: number) => string
  date: (time: string) => string
}

export function createWords(texts: MyLinksIslandTexts, origin: string): Words {
  const locale = locales[document.documentElement.lang as Language]
  const [numbers, dates] = [new Intl.NumberFormat(locale), new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })]
  return {
    texts,
    origin,
    count: ({ one, more }, count) => (count === 1 ? one : fillText(more, { count: numbers.format(count) })),
    date: (time) => dates.format(new Date(time)),
  }
}

export function nameOf({ title, code }: KeptLink): string {
  return title?.trim() || code
}

/** "12 scans, 3 unique visitors"; whose and when stands once, above the rows. */
export function countsText({ texts, count }: Words, { scans, visitors }: Counts): string {
  return `${count(texts.scans, scans)}, ${count(texts.visitors, visitors)}`
}

/** The row of a link. The texts come from storage or a file: they are never parsed as HTML. */
export function rowOf(words: Words, link: KeptLink, counts: LinkCounts | undefined): HTMLLIElement {
  const row = document.createElement('li')
  row.append(about(words, link), statistics(words, counts), buttons(words, link, counts === 'deleted'))
  return row
}

function about({ texts, origin, date }: Words, link: KeptLink): HTMLElement {
  const box = document.createElement('div')
  const name = element('div', 'kept-name', nameOf(link))
  name.dir = 'auto'
  // Its owner wrote it, in whatever language.
  name.lang = ''
  const shortLink = element('a', '', `${origin}/${link.code}`)
  shortLink.href = `/${link.code}`
  const line = element('div', 'small quiet', '')
  line.append(shortLink, ` · ${fillText(texts.created, { date: date(link.created_at) })}`)
  box.append(name, line)
  if (link.poor) box.append(element('p', 'chip warning', texts.poor))
  return box
}

function statistics(words: Words, counts: LinkCounts | undefined): HTMLElement {
  if (typeof counts === 'string') return element('p', 'chip alarm', words.texts[counts])
  const box = document.createElement('div')
  if (counts !== undefined) box.append(bars(counts.days), element('div', 'small', countsText(words, counts)))
  return box
}

/** A bar for each day. The text below says what it amounts to. */
function bars(days: number[]): SVGElement {
  const drawing = createSvg('svg', { viewBox: `0 0 ${days.length * 4} 32`, preserveAspectRatio: 'none' })
  drawing.ariaHidden = 'true'
  const most = Math.max(1, ...days)
  for (const [index, scans] of days.entries()) {
    const height = scans === 0 ? 1 : Math.max(2, (32 * scans) / most)
    drawing.append(createSvg('rect', { x: index * 4, y: 32 - height, width: 3, height }))
  }
  return drawing
}

function createSvg(name: 'svg' | 'rect', attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** The page of a deleted link has the button that brings it back. */
function buttons({ texts, origin }: Words, link: KeptLink, isDeleted: boolean): HTMLElement {
  const [box, name, shortLink] = [element('div', 'row', ''), nameOf(link), `${origin}/${link.code}`]
  const open = element('a', 'button plain', isDeleted ? texts.undelete : texts.manage)
  open.href = pageAddress(`/m/${link.token}`)
  open.ariaLabel = fillText(isDeleted ? texts.undeleteOf : texts.manageOf, { name })
  const copy = element('button', 'plain', texts.copy)
  copy.dataset['copy'] = shortLink
  copy.ariaLabel = fillText(texts.copyOf, { link: shortLink })
  const forget = element('button', 'bare', texts.forget)
  forget.dataset['forget'] = link.token
  forget.ariaLabel = fillText(texts.forgetOf, { name })
  for (const button of [copy, forget]) button.type = 'button'
  box.append(open, copy, forget)
  return box
}
