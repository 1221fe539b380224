import { REASON } from '../../http/problem.ts'
import { countOf, paperSizes, type LabelFormat, type Refusal } from './labels.ts'

/** A format with the label that is first printed onto, and how far the printer's picture is moved. */
export interface Sheet {
  readonly format: LabelFormat
  /** From 1: the labels before it, row by row, are used up. On the first page only. */
  readonly start: number
  /** To the right and down, in mm: what the calibration page shows that the printer is off by, with the other sign. */
  readonly offset: readonly [x: number, y: number]
}

/** Where a label has its upper left corner, in mm from that of its page. Pages count from 0. */
export interface Place {
  readonly page: number
  readonly x: number
  readonly y: number
}

/** In mm, from the upper left corner of a label. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The edge of a label, in mm from its upper left corner; of a circle, from that of the square around it. */
export type Outline =
  | { readonly kind: 'rectangle'; readonly width: number; readonly height: number; readonly radius: number }
  | { readonly kind: 'circle'; readonly x: number; readonly y: number; readonly radius: number }

/** In mm: a printer that is further off must be mended, and a larger number is a typing error. */
const MAX_OFFSET = 10

/** In mm: by how much sheets are drawn in askew, and dies are off. Small labels are given up a tenth at most. */
const DRIFT = 2

/** In mm: 1/6 inch, which laser printers leave white along the edges of the paper, and most others too. */
const UNPRINTABLE = 25.4 / 6

/** Starts at the first label, unmoved, if not told otherwise. */
export function readSheet(
  format: LabelFormat,
  start = 1,
  offset: readonly [x: number, y: number] = [0, 0],
): Sheet | Refusal {
  const most = countOf(format)
  if (!Number.isInteger(start) || start < 1 || start > most)
    return {
      pointer: '/start',
      detail: `must be a whole number from 1 to ${most}, the labels on a sheet of ${format.id}`,
      [REASON]: { name: 'label', limit: most },
    }
  // Not a comparison with the bound alone: NaN is beyond none.
  if (!offset.every((moved) => Math.abs(moved) <= MAX_OFFSET))
    return {
      pointer: '/offset',
      detail: `must be two numbers from -${MAX_OFFSET} to ${MAX_OFFSET} (mm)`,
      [REASON]: { name: 'offset', limit: MAX_OFFSET },
    }
  return { format, start, offset }
}

/** How many pages a number of labels needs; none for none. */
export function pageCount(sheet: Sheet, labels: number): number {
  return labels === 0 ? 0 : Math.ceil((sheet.start - 1 + labels) / countOf(sheet.format))
}

/** Where a label goes, by its number from 0: row by row, page by page. */
export function placeOf({ format, start, offset }: Sheet, label: number): Place {
  const slot = start - 1 + label
  const onPage = slot % countOf(format)
  return {
    page: Math.floor(slot / countOf(format)),
    x: format.left + (onPage % format.columns) * format.pitchX + offset[0],
    y: format.top + Math.floor(onPage / format.columns) * format.pitchY + offset[1],
  }
}

/** Where each of a number of labels goes, in their order. */
export function placesOf(sheet: Sheet, labels: number): Place[] {
  return Array.from({ length: labels }, (_, label) => placeOf(sheet, label))
}

export function outlineOf(format: LabelFormat): Outline {
  const { width, height, radius } = format
  if (!format.isRound) return { kind: 'rectangle', width, height, radius }
  return { kind: 'circle', x: width / 2, y: height / 2, radius: width / 2 }
}

/**
 * What may be printed on: the same for each label of a sheet, so that all look the same. It stays off the edge of the
 * label by what printers drift, also at round corners, and off the edge of the paper by what they cannot print on, where
 * labels reach it. Of a round label it is the largest square inside.
 */
export function safeAreaOf(format: LabelFormat): Area {
  const { width, height } = format
  const inset = insetOf(format)
  const paper = paperSizes[format.paper]
  const right = paper.width - format.left - (format.columns - 1) * format.pitchX - width
  const bottom = paper.height - format.top - (format.rows - 1) * format.pitchY - height
  const x = Math.max(inset, UNPRINTABLE - Math.min(format.left, right))
  const y = Math.max(inset, UNPRINTABLE - Math.min(format.top, bottom))
  return { x, y, width: width - 2 * x, height: height - 2 * y }
}

function insetOf({ width, height, radius, isRound }: LabelFormat): number {
  const drift = Math.min(DRIFT, width / 10, height / 10)
  const ofCorner = isRound ? width / 2 : radius
  // Where the diagonal meets the arc that is the drift further in.
  return ofCorner <= drift ? drift : ofCorner - (ofCorner - drift) * Math.SQRT1_2
}
