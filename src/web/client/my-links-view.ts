import { searchKept, type KeptLink } from '../my-links/kept-links.ts'
import { element } from './element.ts'
import { enableCopyButtons } from './copy.ts'
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
  list: HTMLElement
  more: HTMLElement
}

export function findElements(section: HTMLElement): Elements | undefined {
  const find = (selector: string) => section.querySelector<HTMLElement>(selector)
  const findInput = (type: string) => section.querySelector<HTMLInputElement>(`[type=${type}]`)
  const [search, file] = [findInput('search'), findInput('file')]
  const [message, sum, list, more] = [find('.kept-message'), find('.kept-sum'), find('ul'), find('[data-do=more]')]
  if (!search || !file || !message || !sum || !list || !more) return undefined
  return { section, search, file, message, sum, list, more }
}

/** What the section shows. */
export interface Shown {
  links: KeptLink[]
  counts: ReadCounts | undefined
  /** The most rows. */
  rows: number
}

export function firstRows(): number {
  return PAGE
}

export function moreRows(rows: number): number {
  return rows + PAGE
}

export function render({ section, search, sum, list, more }: Elements, words: Words, shown: Shown): void {
  const { links, counts, rows } = shown
  for (const element of section.querySelectorAll<HTMLElement>('[data-when]'))
    element.hidden = (element.dataset['when'] === 'some') === (links.length === 0)
  showCount(links.length)
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

/** The link to the section, near the form. */
function showCount(count: number): void {
  const place = document.querySelector<HTMLElement>('.kept-here')
  const number = place?.querySelector('b')
  if (!place || !number) return
  place.hidden = count === 0
  number.textContent = String(count)
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
