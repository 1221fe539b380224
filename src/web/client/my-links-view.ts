import { searchCollections } from '../my-links/kept-collections.ts'
import { searchKept, type Kept } from '../my-links/kept-links.ts'
import { element } from './element.ts'
import { enableCopyButtons } from './copy.ts'
import { collectionRow, type CollectionCounts } from './my-collections.ts'
import { countsText, rowOf, type Words } from './my-links-row.ts'
import { sumOf, type ReadCounts } from './my-links-statistics.ts'
import { fillText } from '../../lib/fill-text.ts'

/** Rows that are shown at first, and with each press of the button for more. */
const PAGE = 50

/** The elements of the section. */
export interface Elements {
  section: HTMLElement
  search: HTMLInputElement
  file: HTMLInputElement
  message: HTMLElement
  sum: HTMLElement
  collections: HTMLElement
  list: HTMLElement
  more: HTMLElement
}

export function findElements(section: HTMLElement): Elements | undefined {
  const find = (selector: string) => section.querySelector<HTMLElement>(selector)
  const findInput = (type: string) => section.querySelector<HTMLInputElement>(`[type=${type}]`)
  const [search, file] = [findInput('search'), findInput('file')]
  const [message, sum, more] = [find('.kept-message'), find('.kept-sum'), find('[data-do=more]')]
  const [collections, list] = [find('.kept-collections'), find('.kept-links')]
  if (!search || !file || !message || !sum || !collections || !list || !more) return undefined
  return { section, search, file, message, sum, collections, list, more }
}

/** What the section shows. */
export interface Shown extends Kept {
  counts: ReadCounts | undefined
  collectionCounts: CollectionCounts
  /** The most rows. */
  rows: number
}

export function firstRows(): number {
  return PAGE
}

export function moreRows(rows: number): number {
  return rows + PAGE
}

export function render(elements: Elements, words: Words, shown: Shown): void {
  const { section, search, sum, list, more } = elements
  const { links, counts, rows } = shown
  showParts(section, shown)
  showCount(shown, words)
  renderCollections(elements, words, shown)
  const found = searchKept(links, search.value)
  const restoreFocus = rememberFocus(list)
  list.replaceChildren(...found.slice(0, rows).map((link) => rowOf(words, link, counts?.get(link.token))))
  if (found.length === 0) list.append(element('li', 'quiet', words.texts.noMatch))
  enableCopyButtons(list)
  restoreFocus()
  more.hidden = found.length <= rows
  more.textContent = fillText(words.texts.more, { count: found.length - rows })
  const known = counts && [...counts].filter(([token]) => links.some((link) => link.token === token))
  const tail = known === undefined ? '' : ` · ${countsText(words, sumOf(new Map(known)))} ${words.texts.window}`
  sum.textContent = `${words.count(words.texts.links, links.length)}${tail}`
}

function renderCollections({ collections: list, search }: Elements, words: Words, shown: Shown): void {
  const restoreFocus = rememberFocus(list)
  const { collections, collectionCounts } = shown
  const found = searchCollections(collections, search.value)
  list.replaceChildren(...found.map((each) => collectionRow(words, each, collectionCounts.get(each.token))))
  if (found.length === 0 && collections.length > 0) list.append(element('li', 'quiet', words.texts.noCollection))
  restoreFocus()
}

/** Shows the parts of the section for what is kept. */
function showParts(section: HTMLElement, { links, collections }: Kept): void {
  const is: Record<string, boolean> = {
    links: links.length > 0,
    collections: collections.length > 0,
    some: links.length + collections.length > 0,
    none: links.length + collections.length === 0,
  }
  for (const element of section.querySelectorAll<HTMLElement>('[data-when]'))
    element.hidden = !(element.dataset['when'] ?? '').split(' ').every((name) => is[name])
}

/** The link to the section, near the form. */
function showCount({ links, collections }: Kept, { texts, count }: Words): void {
  const place = document.querySelector<HTMLElement>('.kept-here')
  const number = place?.querySelector('b')
  if (!place || !number) return
  place.hidden = links.length + collections.length === 0
  const parts = [
    ...(links.length > 0 ? [count(texts.links, links.length)] : []),
    count(texts.collections, collections.length),
  ]
  number.textContent = collections.length === 0 ? String(links.length) : parts.join(', ')
}

/** Returns a function that focuses what has the focus in the list now: the statistics may arrive while a person is in it. */
function rememberFocus(list: HTMLElement): () => void {
  const focused = list.contains(document.activeElement) ? document.activeElement : null
  const name = ['href', 'data-copy', 'data-forget'].find((each) => focused?.hasAttribute(each)) ?? ''
  const value = focused?.getAttribute(name)
  return () => {
    const controls = name === '' ? [] : [...list.querySelectorAll<HTMLElement>(`[${name}]`)]
    controls.find((each) => each.getAttribute(name) === value)?.focus({ preventScroll: true })
  }
}

/** A button of a message. */
export interface MessageButton {
  label: string
  press: () => void
}

/** Says what happened, with buttons for what can be done about it; the first gets the focus. */
export function showMessage(
  { message }: Elements,
  text: string,
  { buttons = [], isFault = false }: { buttons?: MessageButton[]; isFault?: boolean } = {},
): void {
  message.className = `kept-message note${isFault ? ' alarm' : ''}`
  const made = buttons.map(({ label, press }) => {
    const button = element('button', 'bare', label)
    button.type = 'button'
    button.addEventListener('click', press)
    return button
  })
  message.replaceChildren(text, ...made.flatMap((button) => [' ', button]))
  made[0]?.focus()
}

export function clearMessage({ message }: Elements): void {
  message.className = 'kept-message'
  message.replaceChildren()
}
