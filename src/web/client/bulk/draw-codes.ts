import { createEncodeText } from '../../../qr/matrix.ts'
import { rasterOf } from '../../../qr/raster.ts'
import { renderSvg } from '../../../qr/svg.ts'
import { loadCodeDrawer } from './look-step.ts'
import type { CreatedLink, GridRow } from './state.ts'

export type CreatedRow = GridRow & { link: CreatedLink }

/** Called with the number of codes that are drawn. */
export type Progress = (done: number) => void

/** Pixels of width. */
const SIZE = 512
/** Codes that are drawn before the browser may do something else. */
const SLICE = 25

/** Draws the code of a row as SVG. */
type DrawRow = (row: CreatedRow) => Promise<string>

/** @param codeText the text of a code, in which "{code}" stands for the code */
async function createRowDrawer(rows: CreatedRow[], codeText: string): Promise<DrawRow> {
  const drawPlain = createPlainDrawer()
  const drawDesigned = rows.some(({ design }) => design !== undefined) ? await loadCodeDrawer() : undefined
  return async ({ link, design }) => {
    const text = codeText.replace('{code}', link.code)
    return design && drawDesigned ? drawDesigned(text, design) : drawPlain(text)
  }
}

function createPlainDrawer(): (text: string) => string {
  const encode = createEncodeText()
  return (text) => {
    const symbol = encode(text, { level: 'M' })
    const colours = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const
    return renderSvg(symbol, rasterOf(symbol.size, { size: SIZE, margin: 4 }), colours, text)
  }
}

/** Draws the codes of rows one after the other, as they are asked for. */
export async function* drawnCodes(
  rows: CreatedRow[],
  codeText: string,
  progress: Progress,
): AsyncGenerator<{ row: CreatedRow; svg: string }, void> {
  const draw = await createRowDrawer(rows, codeText)
  for (const [at, row] of rows.entries()) {
    yield { row, svg: await draw(row) }
    if ((at + 1) % SLICE !== 0) continue
    progress(at + 1)
    await new Promise((resume) => setTimeout(resume))
  }
}

/** Draws the codes of all rows. */
export async function drawCodes(rows: CreatedRow[], codeText: string, progress: Progress): Promise<string[]> {
  const drawn: string[] = []
  for await (const { svg } of drawnCodes(rows, codeText, progress)) drawn.push(svg)
  return drawn
}
