import { downloadZip } from 'client-zip'
import { writeRecords } from '../../../lib/csv.ts'
import { createEncodeText } from '../../../qr/matrix.ts'
import { rasterOf } from '../../../qr/raster.ts'
import { renderSvg } from '../../../qr/svg.ts'
import type { CreatedLink, GridRow, Label } from './state.ts'

type CreatedRow = GridRow & { link: CreatedLink }

const linkColumns = ['short_url', 'manage_url', 'token', 'code', 'qr_png', 'qr_svg'] as const
const rowColumns = ['target', 'title', 'campaign'] as const

/** Codes that are drawn before the browser may do something else. */
const SLICE = 25
const SIZE = 512

/** The created links with their keys; the mark at the start tells spreadsheets that it is UTF-8. */
export function linksCsv(rows: CreatedRow[]): string {
  const lines = rows.map(({ cells, link }) => [
    ...linkColumns.map((name) => link[name]),
    ...rowColumns.map((name) => cells[name] ?? ''),
  ])
  return `\uFEFF${writeRecords([[...linkColumns, ...rowColumns], ...lines])}`
}

/** Called with the number of codes that are drawn. */
type Progress = (done: number) => void

/** @param codeText the text of a code, in which "{code}" stands for the code */
export async function drawCodes(rows: CreatedRow[], codeText: string, progress: Progress): Promise<string[]> {
  const encode = createEncodeText()
  const drawn: string[] = []
  for (const { link } of rows) {
    const text = codeText.replace('{code}', link.code)
    const symbol = encode(text, { level: 'M' })
    const colours = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const
    drawn.push(renderSvg(symbol, rasterOf(symbol.size, { size: SIZE, margin: 4 }), colours, text))
    if (drawn.length % SLICE !== 0) continue
    progress(drawn.length)
    await new Promise((resume) => setTimeout(resume))
  }
  return drawn
}

/** The images and the list of links as a ZIP. */
export async function linksZip(rows: CreatedRow[], images: string[]): Promise<Blob> {
  const files = rows.map(({ link }, at) => ({ name: `qr-${link.code}.svg`, input: images[at] ?? '' }))
  return downloadZip([{ name: 'links.csv', input: linksCsv(rows) }, ...files]).blob()
}

/** The labels of a sheet. */
export function labelsOf(rows: CreatedRow[], images: string[]): Label[] {
  return rows.map(({ cells, link }, at) => ({
    // In an img element, an SVG runs no script and loads nothing.
    url: URL.createObjectURL(new Blob([images[at] ?? ''], { type: 'image/svg+xml' })),
    title: cells.title ?? '',
    address: link.short_url.replace(/^https?:\/\//, ''),
  }))
}

/** Has the browser save a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
