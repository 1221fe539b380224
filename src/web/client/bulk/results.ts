import { copyText } from '../copy.ts'
import { archiveOf, linksCsv } from './archive.ts'
import { drawCodes, type CreatedRow, type Progress } from './draw-codes.ts'
import type { Update } from './run.ts'
import { createCollectionActions, type CollectionActions } from './collection-actions.ts'
import { clearSession } from './session.ts'
import { createdOf, isUnfinished, type State, type CreatedLink, type GridRow, type Label } from './state.ts'
import { addressName } from '../../../lib/address-name.ts'
import { withScheme } from '../../../lib/with-scheme.ts'
import { keepLinks, MAX_KEPT, MAX_TITLE, readKept, writeKept, type KeptLink } from '../../my-links/kept-links.ts'
import { keptStorage } from '../kept-storage.ts'

/** What a person does with the created links. */
export interface ResultActions {
  saveCsv: () => void
  saveZip: () => Promise<void>
  openSheet: () => Promise<void>
  closeSheet: () => void
  copy: (text: string, name: string) => Promise<void>
  keep: () => void
  /** The address of the collection that the links are in. */
  collection: CollectionActions
}

export function createResultActions(state: State, update: Update, codeText: string): ResultActions {
  const { texts } = state

  // What is saved need not be restored after a reload.
  const setSaved = () => {
    const isSaved = !isUnfinished(state)
    if (isSaved) clearSession()
    update({ isSaved, isStartOverAsked: false, notice: undefined })
  }
  /** The address of the collection leads to its links only. */
  const setCollectionSaved = () => {
    if (createdOf(state).every(({ isCollected }) => isCollected)) setSaved()
  }
  return {
    saveCsv() {
      saveFile('links.csv', new Blob([linksCsv(createdOf(state))], { type: 'text/csv' }))
      setSaved()
    },
    async saveZip() {
      const zip = await whileDrawing(state, update, (_, progress) => archiveOf(state, codeText, progress))
      saveFile('links.zip', zip)
      setSaved()
    },
    async openSheet() {
      const images = await whileDrawing(state, update, (rows, progress) => drawCodes(rows, codeText, progress))
      update({ sheet: labelsOf(createdOf(state), images) })
    },
    closeSheet() {
      for (const { url } of state.sheet ?? []) URL.revokeObjectURL(url)
      update({ sheet: undefined })
    },
    async copy(text, name) {
      const isCopied = await copyText(text)
      update(isCopied ? { copied: name } : { copied: undefined, notice: { text: texts.notCopied, isAlarm: true } })
    },
    collection: createCollectionActions(state, update, setCollectionSaved),
    keep() {
      const outcome = keepRows(createdOf(state))
      if (outcome === 'kept') setSaved()
      update({ notice: { text: texts[outcome], isAlarm: outcome !== 'kept' } })
    },
  }
}

/** Shows how far codes are drawn. */
async function whileDrawing<T>(
  state: State,
  update: Update,
  work: (rows: CreatedRow[], progress: Progress) => Promise<T>,
): Promise<T> {
  const rows = createdOf(state)
  const show = (done: number) => update({ run: { kind: 'drawing', done, total: rows.length } })
  show(0)
  try {
    return await work(rows, show)
  } finally {
    update({ run: undefined })
  }
}

/** Stores created links in "My links" of this browser: all of them or, where they are too many, none. */
function keepRows(rows: (GridRow & { link: CreatedLink })[]): 'kept' | 'notKept' | 'full' {
  // The service returns no time; a few seconds do not matter.
  const createdAt = new Date().toISOString()
  const added = rows.map(({ link: { token, code }, cells }): KeptLink => {
    return { token, code, title: cells.title?.trim() || nameOf(cells.target), created_at: createdAt }
  })
  const links = keepLinks(readKept(keptStorage), added)
  if (links.length > MAX_KEPT) return 'full'
  return writeKept(keptStorage, links) ? 'kept' : 'notKept'
}

function nameOf(target = ''): string | null {
  return addressName(withScheme(target)).slice(0, MAX_TITLE) || null
}

/** The labels of a sheet. */
function labelsOf(rows: CreatedRow[], images: string[]): Label[] {
  return rows.map(({ cells, link }, at) => ({
    // In an img element, an SVG runs no script and loads nothing.
    url: URL.createObjectURL(new Blob([images[at] ?? ''], { type: 'image/svg+xml' })),
    title: cells.title ?? '',
    address: link.short_url.replace(/^https?:\/\//, ''),
  }))
}

/** Has the browser save a file. */
function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
