import { fillText } from '../../../lib/fill-text.ts'
import type { MyLinksIslandTexts } from '../../../texts/my-links.ts'
import {
  isKeptKey,
  mergeKept,
  readKept,
  writeFile,
  forgetLinks,
  MAX_KEPT,
  writeKept,
  type KeptLink,
  MAX_FILE,
  readFile,
  type LinkFault,
  type ReadFile,
} from '../../my-links/kept-links.ts'
import { keptStorage } from '../kept-storage.ts'
import { createWords, nameOf, type Words } from '../my-links-row.ts'
import { readCounts } from '../my-links-statistics.ts'
import {
  clearMessage,
  findElements,
  firstRows,
  moreRows,
  render,
  showMessage,
  type Elements,
  type Shown,
} from '../my-links-view.ts'
import { saveFile } from '../save-file.ts'
import { ownValue } from '../../../lib/own-value.ts'

// The links whose keys this browser keeps, on the start page. The section stays hidden without it.

const section = document.querySelector<HTMLElement>('#my-links')
const elements = section && findElements(section)

if (section && elements) {
  const texts = JSON.parse(section.dataset['texts'] ?? '{}') as MyLinksIslandTexts
  start(elements, createWords(texts, section.dataset['origin'] ?? location.origin))
}

interface Page {
  elements: Elements
  words: Words
  shown: Shown
}

function start(elements: Elements, words: Words): void {
  const page: Page = { elements, words, shown: { links: readKept(keptStorage), counts: undefined, rows: firstRows() } }
  elements.section.hidden = false
  render(elements, words, page.shown)
  listen(page)
  // Nobody who only creates a link sends keys.
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    void loadCounts(page)
  })
  observer.observe(elements.section)
  if (location.hash === '#my-links') elements.section.scrollIntoView()
}

function listen(page: Page): void {
  const { elements } = page
  const does: Record<string, () => void> = {
    export: () => saveFile('quirl-links.json', 'application/json', writeFile(page.shown.links, page.words.origin)),
    import: () => elements.file.click(),
    'forget-all': () => forget(page, page.shown.links),
    more: () => showMore(page),
  }
  elements.section.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const { do: name = '', forget: token } = target.dataset
    if (token !== undefined)
      forget(
        page,
        page.shown.links.filter((link) => link.token === token),
      )
    else ownValue(does, name)?.()
  })
  elements.search.addEventListener('input', () => {
    page.shown.rows = firstRows()
    render(elements, page.words, page.shown)
  })
  elements.file.addEventListener('change', () => void importFile(page))
  addEventListener('storage', ({ key }) => {
    if (!isKeptKey(key)) return
    show(page)
    void loadCounts(page)
  })
}

/** Shows what is kept now. */
function show(page: Page): void {
  page.shown.links = readKept(keptStorage)
  render(page.elements, page.words, page.shown)
}

function showMore({ elements, words, shown }: Page): void {
  const before = shown.rows
  shown.rows = moreRows(before)
  render(elements, words, shown)
  elements.list.children[before]?.querySelector('a')?.focus()
}

async function loadCounts(page: Page): Promise<void> {
  const { elements, words, shown } = page
  const tokens = shown.links.map(({ token }) => token).filter((token) => !shown.counts?.has(token))
  if (tokens.length === 0) return
  const read = await readCounts(tokens)
  if (typeof read === 'string') {
    const retry = () => {
      clearMessage(elements)
      void loadCounts(page)
    }
    showMessage(elements, words.texts[read], { buttons: [{ label: words.texts.retry, press: retry }], isFault: true })
    return
  }
  shown.counts = new Map([...(shown.counts ?? []), ...read])
  render(elements, words, shown)
}

function forget(page: Page, links: KeptLink[]): void {
  const { elements, words } = page
  const { forgotten, undo } = words.texts
  const tokens = new Set(links.map(({ token }) => token))
  if (!store(page, forgetLinks(readKept(keptStorage), tokens))) return
  const [link] = links
  const text =
    links.length === 1 && link ? fillText(forgotten.one, { name: nameOf(link) }) : words.count(forgotten, links.length)
  showMessage(elements, text, { buttons: [{ label: undo, press: () => restore(page, links) }] })
}

function restore(page: Page, links: KeptLink[]): void {
  if (!store(page, mergeKept(readKept(keptStorage), links))) return
  showMessage(page.elements, page.words.texts.undone)
  page.elements.search.focus()
  void loadCounts(page)
}

/** Returns whether the browser stored the links. */
function store(page: Page, links: KeptLink[]): boolean {
  const { faults, notStored } = page.words.texts
  const isStored = links.length <= MAX_KEPT && writeKept(keptStorage, links)
  if (isStored) show(page)
  else showMessage(page.elements, links.length > MAX_KEPT ? faults.too_many : notStored, { isFault: true })
  return isStored
}

async function importFile(page: Page): Promise<void> {
  const { elements, words } = page
  const { foreign, importAnyway, cancel, faults, fields } = words.texts
  const read = await readChosenLinks(elements.file.files?.[0])
  // The same file can be chosen again.
  elements.file.value = ''
  if (read === undefined) return
  if ('fault' in read) {
    const { fault, entry = 0, field = 'link' } = read
    return showMessage(elements, fillText(faults[fault], { entry, field: fields[field] }), { isFault: true })
  }
  const { links, service = '?' } = read
  if (service === words.origin) return addLinks(page, links)
  // The keys of another service would be sent to this one.
  const buttons = [
    { label: cancel, press: () => cancelImport(elements) },
    { label: importAnyway, press: () => addLinks(page, links) },
  ]
  showMessage(elements, fillText(foreign, { service }), { buttons })
}

function cancelImport(elements: Elements): void {
  clearMessage(elements)
  elements.section.querySelector<HTMLElement>('[data-do=import]')?.focus()
}

function addLinks(page: Page, links: KeptLink[]): void {
  const { elements, words } = page
  const before = readKept(keptStorage)
  const merged = mergeKept(before, links)
  if (!store(page, merged)) return
  const { imported } = words.texts
  const added = merged.length - before.length
  showMessage(elements, added === 0 ? imported.none : words.count(imported, added))
  elements.section.querySelector<HTMLElement>('[data-do=import]')?.focus()
  void loadCounts(page)
}

/** What a chosen file holds; undefined when none was chosen. A file that is too large is not read. */
async function readChosenLinks(
  file: File | undefined,
): Promise<ReadFile | { fault: 'unreadable'; entry?: number; field?: LinkFault } | undefined> {
  if (file === undefined) return undefined
  if (file.size > MAX_FILE) return { fault: 'too_large' }
  try {
    return readFile(await file.text())
  } catch {
    return { fault: 'unreadable' }
  }
}
