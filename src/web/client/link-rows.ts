import { element, icon } from './element.ts'
import { fillText } from '../../lib/fill-text.ts'

/** As many as the API takes. */
const MAX_ROWS = 100

type Texts = Record<'name' | 'add' | 'up' | 'down' | 'remove' | 'moved' | 'removed', string>

/** A list of rows, each with the label and the address of a button. */
interface Rows {
  list: HTMLElement
  texts: Texts
  /** A row to copy. */
  empty: HTMLElement
  add: HTMLButtonElement
  /** Tells screen readers what has happened. */
  news: HTMLElement
}

/**
 * Lets the rows of a page's buttons be added, removed and moved, by buttons and by dragging. The inputs themselves move, so
 * that what was typed stays in them. Each change causes an `input` event, as typing does.
 */
export function enhanceRows(list: HTMLElement): void {
  const empty = takeEmptyRow(list)
  if (empty === undefined) return
  const texts = JSON.parse(list.dataset['texts'] ?? '{}') as Texts
  const add = element('button', 'plain link-add', texts.add)
  add.type = 'button'
  const news = element('p', 'unseen')
  news.ariaLive = 'polite'
  const rows = { list, texts, empty, add, news }
  for (const row of rowsOf(list)) addTools(rows, row)
  if (rowsOf(list).length === 0) append(rows)
  add.addEventListener('click', () => append(rows).querySelector<HTMLElement>('input')?.focus())
  list.append(add, news)
  refresh(rows)
}

function rowsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('.link-row')]
}

/** Removes the empty rows that the page has for those without scripts; returns one of them. */
function takeEmptyRow(list: HTMLElement): HTMLElement | undefined {
  const spares = rowsOf(list).filter((row) => [...row.querySelectorAll('input')].every(({ value }) => value === ''))
  for (const row of spares) row.remove()
  return spares[0]
}

function append(rows: Rows): HTMLElement {
  const row = rows.empty.cloneNode(true) as HTMLElement
  addTools(rows, row)
  const last = rowsOf(rows.list).at(-1) ?? rows.list.querySelector('legend')
  last?.after(row)
  refresh(rows)
  return row
}

function addTools(rows: Rows, row: HTMLElement): void {
  const tools = element('div', 'link-tools')
  const grip = element('span', 'link-grip')
  grip.append(icon('M6 4h0M10 4h0M6 8h0M10 8h0M6 12h0M10 12h0'))
  makeDraggable(rows, row, grip)
  tools.append(
    grip,
    tool('up', 'M8 13V3M4 7l4-4 4 4', () => move(rows, row, 'up')),
    tool('down', 'M8 3v10M4 9l4 4 4-4', () => move(rows, row, 'down')),
    tool('remove', 'M4 4l8 8M12 4l-8 8', () => remove(rows, row)),
  )
  row.append(tools)
}

function tool(name: string, lines: string, act: () => void): HTMLButtonElement {
  const button = element('button', `link-${name}`)
  button.type = 'button'
  button.append(icon(lines))
  button.addEventListener('click', act)
  return button
}

function toolOf(row: HTMLElement, name: string): HTMLButtonElement | null {
  return row.querySelector<HTMLButtonElement>(`.link-${name}`)
}

function move(rows: Rows, row: HTMLElement, direction: 'up' | 'down'): void {
  if (direction === 'up') row.previousElementSibling?.before(row)
  else row.nextElementSibling?.after(row)
  announceMove(rows, row)
  // At an end of the list, the button that was pressed cannot have the focus.
  const button = toolOf(row, direction)
  const other = toolOf(row, direction === 'up' ? 'down' : 'up')
  ;(button?.disabled ? other : button)?.focus()
}

function announceMove(rows: Rows, row: HTMLElement): void {
  refresh(rows)
  const all = rowsOf(rows.list)
  rows.news.textContent = fillText(rows.texts.moved, { row: all.indexOf(row) + 1, count: all.length })
}

function remove(rows: Rows, row: HTMLElement): void {
  const at = rowsOf(rows.list).indexOf(row)
  row.remove()
  if (rowsOf(rows.list).length === 0) append(rows)
  refresh(rows)
  rows.news.textContent = fillText(rows.texts.removed, { row: at + 1 })
  const all = rowsOf(rows.list)
  ;(all[at] ?? all.at(-1))?.querySelector<HTMLElement>('input')?.focus()
}

/** Names each row by its place. */
function refresh({ list, texts, add }: Rows): void {
  const all = rowsOf(list)
  for (const [at, row] of all.entries()) {
    const place = { row: at + 1 }
    for (const name of row.querySelectorAll('label > .unseen')) name.textContent = `${fillText(texts.name, place)}: `
    for (const action of ['up', 'down', 'remove'] as const) {
      const button = toolOf(row, action)
      if (button === null) continue
      button.ariaLabel = button.title = fillText(texts[action], place)
      button.disabled = (action === 'up' && at === 0) || (action === 'down' && at === all.length - 1)
    }
  }
  add.hidden = all.length >= MAX_ROWS
  list.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Moves a row while its grip is dragged, by mouse, pen or finger. */
function makeDraggable(rows: Rows, row: HTMLElement, grip: HTMLElement): void {
  const follow = ({ clientY }: PointerEvent) => {
    const others = rowsOf(rows.list).filter((each) => each !== row)
    const next = others.find((each) => clientY < middleOf(each))
    if (next === undefined) others.at(-1)?.after(row)
    else if (next.previousElementSibling !== row) next.before(row)
  }
  grip.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    const ending = new AbortController()
    const end = () => {
      ending.abort()
      row.classList.remove('moving')
      announceMove(rows, row)
    }
    row.classList.add('moving')
    // On the document: moving an element in it ends its capture of the pointer.
    document.addEventListener('pointermove', follow, { signal: ending.signal })
    for (const type of ['pointerup', 'pointercancel']) document.addEventListener(type, end, { signal: ending.signal })
  })
}

function middleOf(row: HTMLElement): number {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}
