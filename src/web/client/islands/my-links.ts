import { fillText } from '../../../lib/fill-text.ts'
import type { MyLinksIslandTexts } from '../../../texts/my-links.ts'
import { MAX_KEPT_COLLECTIONS, type KeptCollection } from '../../my-links/kept-collections.ts'
import {
  isKeptKey,
  readKept,
  readKeptCollections,
  writeFile,
  MAX_KEPT,
  writeKept,
  writeKeptCollections,
  MAX_FILE,
  readFile,
  type InvalidFile,
  type Kept,
  type ReadFile,
} from '../../my-links/kept-links.ts'
import { forgetKept, mergeKept } from '../../my-links/kept-list.ts'
import type { startEveryDevice } from '../every-device.ts'
import { offerCollections } from '../home-collection.ts'
import { keptStorage } from '../kept-storage.ts'
import { collectionName, readCollectionCounts } from '../my-collections.ts'
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

// The links and collections whose keys this browser keeps, on the start page. The section stays hidden without it.

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
  /** Offers the collections that are kept now for a new link. */
  offer: () => void
}

function start(elements: Elements, words: Words): void {
  const shown: Shown = { ...readAll(), counts: undefined, collectionCounts: new Map(), rows: firstRows() }
  const page: Page = { elements, words, shown, offer: offerCollections() }
  elements.section.hidden = false
  render(elements, words, page.shown)
  listen(page)
  loadEveryDevice(page)
  // Nobody who only creates a link sends keys.
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    loadAll(page)
  })
  observer.observe(elements.section)
  if (location.hash === '#my-links') elements.section.scrollIntoView()
}

interface EveryDevice {
  startEveryDevice: typeof startEveryDevice
}

/** Loads the script of the form that makes a collection of the links once that is unfolded: few do. */
function loadEveryDevice({ elements, words, shown }: Page): void {
  const every = elements.section.querySelector<HTMLElement>('.kept-every')
  const form = every?.querySelector('form')
  if (!every || !form) return
  const load = async () => {
    const script = (await import(every.dataset['script'] ?? '')) as EveryDevice
    script.startEveryDevice(form, words, () => shown.links)
  }
  every.addEventListener('toggle', () => void load(), { once: true })
}

function readAll(): Kept {
  return { links: readKept(keptStorage), collections: readKeptCollections(keptStorage) }
}

function listen(page: Page): void {
  const { elements, shown } = page
  const does: Record<string, () => void> = {
    export: () => saveFile('quirl-links.json', 'application/json', writeFile(shown, page.words.origin)),
    import: () => elements.file.click(),
    'forget-all': () => forget(page, shown),
    more: () => showMore(page),
  }
  elements.section.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const { do: name = '', forget: token } = target.dataset
    const isAsked = (each: { token: string }) => each.token === token
    if (token !== undefined)
      forget(page, { links: shown.links.filter(isAsked), collections: shown.collections.filter(isAsked) })
    else ownValue(does, name)?.()
  })
  elements.search.addEventListener('input', () => {
    shown.rows = firstRows()
    render(elements, page.words, shown)
  })
  elements.file.addEventListener('change', () => void importFile(page))
  addEventListener('storage', ({ key }) => {
    if (!isKeptKey(key)) return
    show(page)
    loadAll(page)
  })
}

/** Shows what is kept now. */
function show(page: Page): void {
  Object.assign(page.shown, readAll())
  render(page.elements, page.words, page.shown)
  page.offer()
}

function showMore({ elements, words, shown }: Page): void {
  const before = shown.rows
  shown.rows = moreRows(before)
  render(elements, words, shown)
  elements.list.children[before]?.querySelector('a')?.focus()
}

function loadAll(page: Page): void {
  void loadCounts(page)
  void loadCollectionCounts(page)
}

async function loadCounts(page: Page): Promise<void> {
  const { elements, words, shown } = page
  const tokens = shown.links.map(({ token }) => token).filter((token) => !shown.counts?.has(token))
  if (tokens.length === 0) return
  const read = await readCounts(tokens)
  if (typeof read === 'string') {
    const retry = () => {
      clearMessage(elements)
      loadAll(page)
    }
    showMessage(elements, words.texts[read], { buttons: [{ label: words.texts.retry, press: retry }], isFault: true })
    return
  }
  shown.counts = new Map([...(shown.counts ?? []), ...read])
  render(elements, words, shown)
}

async function loadCollectionCounts({ elements, words, shown }: Page): Promise<void> {
  const tokens = shown.collections.map(({ token }) => token).filter((token) => !shown.collectionCounts.has(token))
  if (tokens.length === 0) return
  const read = await readCollectionCounts(tokens)
  shown.collectionCounts = new Map([...shown.collectionCounts, ...read])
  render(elements, words, shown)
}

function forget(page: Page, { links, collections }: Kept): void {
  const tokensOf = (each: { token: string }[]) => new Set(each.map(({ token }) => token))
  const kept = readAll()
  const rest = {
    links: forgetKept(kept.links, tokensOf(links)),
    collections: forgetKept(kept.collections, tokensOf(collections)),
  }
  if (!store(page, rest)) return
  const buttons = [{ label: page.words.texts.undo, press: () => restore(page, { links, collections }) }]
  showMessage(page.elements, forgottenText(page.words, { links, collections }), { buttons })
}

function forgottenText(words: Words, { links, collections }: Kept): string {
  const { forgotten } = words.texts
  const [link] = links
  const [collection] = collections
  if (collection === undefined)
    return links.length === 1 && link
      ? fillText(forgotten.one, { name: nameOf(link) })
      : words.count(forgotten, links.length)
  if (links.length + collections.length > 1) return forgotten.all
  return fillText(forgotten.collection, { name: collectionName(collection, words) })
}

function restore(page: Page, kept: Kept): void {
  if (!store(page, mergeAll(readAll(), kept))) return
  showMessage(page.elements, page.words.texts.undone)
  const place = page.elements.search.hidden ? page.elements.collections.querySelector('a') : page.elements.search
  place?.focus()
  loadAll(page)
}

function mergeAll(kept: Kept, added: Kept): Kept {
  return {
    links: mergeKept(kept.links, added.links),
    collections: mergeKept<KeptCollection>(kept.collections, added.collections),
  }
}

/** Returns whether the browser stored it. */
function store(page: Page, { links, collections }: Kept): boolean {
  const { faults, notStored } = page.words.texts
  const fail = (text: string) => {
    showMessage(page.elements, text, { isFault: true })
    return false
  }
  if (links.length > MAX_KEPT) return fail(faults.too_many)
  if (collections.length > MAX_KEPT_COLLECTIONS) return fail(faults.too_many_collections)
  const before = readKept(keptStorage)
  const isStored = writeKept(keptStorage, links) && writeKeptCollections(keptStorage, collections)
  if (isStored) show(page)
  else writeKept(keptStorage, before)
  return isStored || fail(notStored)
}

async function importFile(page: Page): Promise<void> {
  const { elements, words } = page
  const { foreign, importAnyway, cancel, faults, fields } = words.texts
  const read = await readChosenFile(elements.file.files?.[0])
  // The same file can be chosen again.
  elements.file.value = ''
  if (read === undefined) return
  if ('fault' in read) {
    const { fault, entry = 0, field = 'link' } = read
    return showMessage(elements, fillText(faults[fault], { entry, field: fields[field] }), { isFault: true })
  }
  const { service = '?', ...kept } = read
  if (service === words.origin) return addAll(page, kept)
  // The keys of another service would be sent to this one.
  const buttons = [
    { label: cancel, press: () => cancelImport(elements) },
    { label: importAnyway, press: () => addAll(page, kept) },
  ]
  showMessage(elements, fillText(foreign, { service }), { buttons })
}

function cancelImport(elements: Elements): void {
  clearMessage(elements)
  elements.section.querySelector<HTMLElement>('[data-do=import]')?.focus()
}

function addAll(page: Page, added: Kept): void {
  const { elements, words } = page
  const before = readAll()
  const merged = mergeAll(before, added)
  if (!store(page, merged)) return
  const links = merged.links.length - before.links.length
  const collections = merged.collections.length - before.collections.length
  showMessage(elements, importedText(words, { links, collections }, added.collections.length > 0))
  elements.section.querySelector<HTMLElement>('[data-do=import]')?.focus()
  loadAll(page)
}

/** @param hadCollections whether the file had some */
function importedText(
  { texts, count }: Words,
  { links, collections }: Record<keyof Kept, number>,
  hadCollections: boolean,
): string {
  const { imported } = texts
  if (links + collections === 0) return hadCollections ? imported.noneOfBoth : imported.none
  if (collections === 0) return count(imported, links)
  const parts = [...(links > 0 ? [count(texts.links, links)] : []), count(texts.collections, collections)]
  return fillText(imported.both, { what: parts.join(', ') })
}

/** What a chosen file holds; undefined when none was chosen. A file that is too large is not read. */
async function readChosenFile(
  file: File | undefined,
): Promise<ReadFile | (Omit<InvalidFile, 'fault'> & { fault: 'unreadable' }) | undefined> {
  if (file === undefined) return undefined
  if (file.size > MAX_FILE) return { fault: 'too_large' }
  try {
    return readFile(await file.text())
  } catch {
    return { fault: 'unreadable' }
  }
}
