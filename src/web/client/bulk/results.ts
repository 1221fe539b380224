import { copyText } from '../copy.ts'
import type { Update } from './run.ts'
import { createCollectionActions, type CollectionActions } from './collection-actions.ts'
import { loadCodeDrawer } from './look-step.ts'
import { clearSession } from './session.ts'
import { createdOf, isUnfinished, type State, type CreatedLink, type GridRow, type Label } from './state.ts'
import { addressName } from '../../../lib/address-name.ts'
import { withScheme } from '../../../lib/with-scheme.ts'
import { keepLinks, MAX_KEPT, MAX_TITLE, readKept, writeKept, type KeptLink } from '../../my-links/kept-links.ts'
import { keptStorage } from '../kept-storage.ts'
import { downloadZip } from 'client-zip'
import { writeRecords } from '../../../lib/csv.ts'
import { createEncodeText } from '../../../qr/matrix.ts'
import { rasterOf } from '../../../qr/raster.ts'
import { renderSvg } from '../../../qr/svg.ts'

type CreatedRow = GridRow & { link: CreatedLink }
const linkColumns = ['short_url', 'manage_url', 'token', 'code', 'qr_png', 'qr_svg'] as const
const rowColumns = ['target', 'title', 'campaign'] as const
/** Codes that are drawn before the browser may do something else. */
const SLICE = 25
const SIZE = 512

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
  const draw = () => drawAll(state, update, codeText)
  return {
    saveCsv() {
      saveFile('links.csv', new Blob([linksCsv(createdOf(state))], { type: 'text/csv' }))
      setSaved()
    },
    async saveZip() {
      const images = await draw()
      saveFile('links.zip', await linksZip(createdOf(state), images))
      setSaved()
    },
    async openSheet() {
      update({ sheet: labelsOf(createdOf(state), await draw()) })
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

async function drawAll(state: State, update: Update, codeText: string): Promise<string[]> {
  const rows = createdOf(state)
  const show = (done: number) => update({ run: { kind: 'drawing', done, total: rows.length } })
  show(0)
  try {
    return await drawCodes(rows, codeText, show)
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

/** The created links with their keys; the mark at the start tells spreadsheets that it is UTF-8. */
function linksCsv(rows: CreatedRow[]): string {
  const lines = rows.map(({ cells, link }) => [
    ...linkColumns.map((name) => link[name]),
    ...rowColumns.map((name) => cells[name] ?? ''),
  ])
  return `\uFEFF${writeRecords([[...linkColumns, ...rowColumns], ...lines])}`
}

/** Called with the number of codes that are drawn. */
type Progress = (done: number) => void

/** @param codeText the text of a code, in which "{code}" stands for the code */
async function drawCodes(rows: CreatedRow[], codeText: string, progress: Progress): Promise<string[]> {
  const drawPlain = createPlainDrawer()
  const drawDesigned = rows.some(({ design }) => design !== undefined) ? await loadCodeDrawer() : undefined
  const drawn: string[] = []
  for (const { link, design } of rows) {
    const text = codeText.replace('{code}', link.code)
    drawn.push(design && drawDesigned ? await drawDesigned(text, design) : drawPlain(text))
    if (drawn.length % SLICE !== 0) continue
    progress(drawn.length)
    await new Promise((resume) => setTimeout(resume))
  }
  return drawn
}

function createPlainDrawer(): (text: string) => string {
  const encode = createEncodeText()
  return (text) => {
    const symbol = encode(text, { level: 'M' })
    const colours = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const
    return renderSvg(symbol, rasterOf(symbol.size, { size: SIZE, margin: 4 }), colours, text)
  }
}

/** The images and the list of links as a ZIP. */
async function linksZip(rows: CreatedRow[], images: string[]): Promise<Blob> {
  const files = rows.map(({ link }, at) => ({ name: `qr-${link.code}.svg`, input: images[at] ?? '' }))
  return downloadZip([{ name: 'links.csv', input: linksCsv(rows) }, ...files]).blob()
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
