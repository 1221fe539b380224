import { decimal } from './path.ts'
import type { PdfFile } from './pdf-file.ts'

export const POINTS_PER_MM = 72 / 25.4

/** Sizes of paper in millimetres, upright: ISO 216, and ANSI/ASME Y14.1. */
export const papers = { a4: [210, 297], letter: [215.9, 279.4] } as const

export type Paper = keyof typeof papers

/** The content of a page, which is also the content of an object that pages repeat (ISO 32000-1, 8.10); in points. */
export interface Drawing {
  content: Buffer
  /** The entries of its resources. */
  resources: string
  width: number
  height: number
}

/** The edge that common printers cannot print on, with the cut marks inside it. */
const EDGE_MM = 10
/** Between two copies, so that a cut beside the line spoils none. */
const GAP_MM = 4
const MARK_MM = 5
/** The distance of a mark from what is cut out. */
const MARK_GAP_MM = 1.5

/** How often a drawing of that size fits onto a sheet: columns and rows. */
export function fitOnto(paper: Paper, widthMm: number, heightMm: number): [columns: number, rows: number] {
  const [across, down] = papers[paper]
  const fit = (length: number, each: number) => Math.floor((length - 2 * EDGE_MM + GAP_MM + 1e-6) / (each + GAP_MM))
  return [fit(across, widthMm), fit(down, heightMm)]
}

/** The width in millimetres of the largest drawing that fits once; `ratio` is that of its height to its width. */
export function widestOn(paper: Paper, ratio: number): number {
  const [across, down] = papers[paper]
  return Math.min(across - 2 * EDGE_MM, (down - 2 * EDGE_MM) / ratio)
}

/** A sheet with as many copies of a drawing as fit, in the middle, and marks at the edges along which to cut. */
export function drawSheet(pdf: PdfFile, drawing: Drawing, paper: Paper): Drawing {
  const [width, height] = [papers[paper][0] * POINTS_PER_MM, papers[paper][1] * POINTS_PER_MM]
  const [columns, rows] = fitOnto(paper, drawing.width / POINTS_PER_MM, drawing.height / POINTS_PER_MM)
  const lefts = positions(columns, drawing.width, width)
  const bottoms = positions(rows, drawing.height, height)
  const box = `[0 0 ${decimal(drawing.width)} ${decimal(drawing.height)}]`
  const form = pdf.addStream(`/Type/XObject/Subtype/Form/BBox${box}/Resources<<${drawing.resources}>>`, drawing.content)
  const copies = bottoms.flatMap((y) => lefts.map((x) => `q 1 0 0 1 ${decimal(x)} ${decimal(y)} cm /Code Do Q`))
  const marks = [
    ...lefts.flatMap((x) => [x, x + drawing.width]).map((x) => cutMarks(x, bottoms, drawing.height, 'across')),
    ...bottoms.flatMap((y) => [y, y + drawing.height]).map((y) => cutMarks(y, lefts, drawing.width, 'down')),
  ]
  const content = [...copies, '0.5 w 0 G', ...marks].join('\n')
  return { content: Buffer.from(content, 'latin1'), resources: `/XObject<</Code ${form}>>`, width, height }
}

/** The lower ends of copies that stand in the middle of a length. */
function positions(count: number, each: number, length: number): number[] {
  const gap = GAP_MM * POINTS_PER_MM
  const start = (length - count * each - (count - 1) * gap) / 2
  return Array.from({ length: count }, (_, at) => start + at * (each + gap))
}

/** Two marks in line with a cut, outside of all copies. */
function cutMarks(at: number, starts: number[], each: number, cut: 'across' | 'down'): string {
  const [first = 0, last = 0] = [starts[0], starts.at(-1)]
  const [near, far] = [MARK_GAP_MM * POINTS_PER_MM, (MARK_GAP_MM + MARK_MM) * POINTS_PER_MM]
  const line = (from: number, to: number) => {
    const ends = cut === 'across' ? [at, from, at, to] : [from, at, to, at]
    const [x1, y1, x2, y2] = ends.map(decimal)
    return `${x1} ${y1} m ${x2} ${y2} l S`
  }
  return `${line(first - far, first - near)}\n${line(last + each + near, last + each + far)}`
}
