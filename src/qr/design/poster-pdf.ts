import { invalidRequest } from '../../http/problem.ts'
import { breakLines } from './fit.ts'
import type { Font } from './font.ts'
import { decimal, pathToPdf, type Path } from './path.ts'
import type { PdfFile } from './pdf-file.ts'
import { textFault } from './style.ts'
import { papers, POINTS_PER_MM, type Drawing, type Paper } from './sheet-pdf.ts'

/** A page to hang up: a title, the code and the address, for those who type it. */
export interface Poster {
  paper: Paper
  /** Empty for none. */
  title: string
  address: string
}

/** In millimetres, like all measures here; common printers cannot print on the edge. The start page draws it likewise. */
const EDGE = 20
export const POSTER_CODE = 130
const GAP = 8
/** The heights of letters, the largest that fits is taken. Titles are read from afar, an address from within reach. */
const TITLES = [22, 18, 14, 11, 8]
const ADDRESSES = [11, 9, 7, 5]
const LINE = 1.15
const CAPITALS = 0.71

/** @throws {Problem} 400 for a title that the font cannot write */
export function requireLetters({ title }: Poster, font: Font): void {
  const detail = title === '' ? undefined : textFault(title, font)
  if (detail !== undefined) throw invalidRequest([{ pointer: '/title', detail }])
}

/** A text in lines of one height, in millimetres. */
interface Block {
  lines: string[]
  height: number
}

/**
 * A page with a code in the middle, black text above and below it.
 * @param drawing the code, as wide as `POSTER_CODE`
 * @throws {Problem} 400 when the title does not fit
 */
export function drawPoster(pdf: PdfFile, drawing: Drawing, { paper, title, address }: Poster, font: Font): Drawing {
  const [width, height] = papers[paper]
  const code = { width: drawing.width / POINTS_PER_MM, height: drawing.height / POINTS_PER_MM }
  const measure = { font, width: width - 2 * EDGE }
  const foot = setText(address, ADDRESSES, { ...measure, room: Infinity }) ?? { lines: [address], height: 0 }
  const rest = height - 2 * EDGE - code.height - 2 * GAP - heightOf(foot)
  const head = setText(title, TITLES, { ...measure, room: rest })
  if (head === undefined)
    throw invalidRequest([{ pointer: '/title', detail: 'does not fit onto the page: it must be shorter' }])
  const top = EDGE + (rest - heightOf(head)) / 2
  const codeTop = top + heightOf(head) + GAP
  const letters: Path = []
  write(letters, head, { font, middle: width / 2, top })
  write(letters, foot, { font, middle: width / 2, top: codeTop + code.height + GAP })
  const box = `[0 0 ${decimal(drawing.width)} ${decimal(drawing.height)}]`
  const form = pdf.addStream(`/Type/XObject/Subtype/Form/BBox${box}/Resources${drawing.resources}`, drawing.content)
  const [x, y] = [(width - code.width) / 2, height - codeTop - code.height].map((each) => each * POINTS_PER_MM)
  const content = [
    `q 1 0 0 1 ${decimal(x ?? 0)} ${decimal(y ?? 0)} cm /Code Do Q`,
    // From millimetres with the origin in the upper left. Black is that of the black ink alone.
    `q ${decimal(POINTS_PER_MM)} 0 0 ${decimal(-POINTS_PER_MM)} 0 ${decimal(height * POINTS_PER_MM)} cm 0 g`,
    pathToPdf(letters),
    'f Q',
  ].join('\n')
  return {
    content: Buffer.from(content, 'latin1'),
    resources: `<</XObject<</Code ${form}>>>>`,
    width: width * POINTS_PER_MM,
    height: height * POINTS_PER_MM,
  }
}

function heightOf({ lines, height }: Block): number {
  return lines.length * height * LINE
}

interface Measure {
  font: Font
  width: number
  room: number
}

/** Sets a text at the largest height at which it fits; words are broken at the smallest one only. */
function setText(text: string, heights: number[], { font, width, room }: Measure): Block | undefined {
  const blocks = heights.map((height) => ({ lines: breakLines(font, text, width / height), height }))
  const longest = Math.max(...text.split(' ').map((word) => font.width(word)))
  const fits = (block: Block) => heightOf(block) <= room
  return blocks.find((block) => fits(block) && longest * block.height <= width) ?? blocks.slice(-1).find(fits)
}

function write(
  path: Path,
  { lines, height }: Block,
  { font, middle, top }: { font: Font; middle: number; top: number },
) {
  for (const [at, line] of lines.entries()) {
    const x = middle - (font.width(line) * height) / 2
    font.draw(path, line, { x, y: top + height * (at * LINE + (LINE + CAPITALS) / 2), height })
  }
}
