import { REASON, type FieldError } from '../../http/problem.ts'
import { nearName } from '../../lib/near-name.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Sheets that labels are sold on. */
export type Paper = 'a4' | 'letter'

/** In mm. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Upright, in mm: ISO 216, and 8.5 × 11 inches of ANSI Y14.1. */
export const paperSizes: Readonly<Record<Paper, Size>> = {
  a4: { width: 210, height: 297 },
  letter: { width: 215.9, height: 279.4 },
}

/** A grid of equal labels on a sheet. All lengths are in mm, from the upper left corner of the upright sheet. */
export interface LabelFormat {
  /** As requests name it: `avery-l7160`, or free measures as they were asked for. */
  readonly id: string
  /** As people call it: `Avery L7160`. */
  readonly name: string
  readonly paper: Paper
  readonly columns: number
  readonly rows: number
  /** Of each label; of a round one both are its diameter. */
  readonly width: number
  readonly height: number
  /** Where the first label has its left and its upper edge. */
  readonly left: number
  readonly top: number
  /** From the left edge of a label to that of the next, and from an upper edge to the one below. */
  readonly pitchX: number
  readonly pitchY: number
  /** Of the corners; 0 for a round label, and where no source states one. */
  readonly radius: number
  readonly isRound: boolean
}

/** What is wrong with a field of a request, as `invalidRequest` takes it: a pointer to the field, and its bound. */
export type Refusal = FieldError

/** In mm: smaller labels have no room for a code with modules that print. */
const MIN_SIZE = 10
/** In mm: wider gaps are a typing error. */
const MAX_GAP = 50

/**
 * A sheet as its maker publishes it, in mm on A4 and in inches on Letter: the ids of the numbers under which it is sold,
 * columns and rows, width and height of a label (or the diameter of a round one), left and upper edge of the first, the
 * distances from one to the next, and the radius of the corners.
 */
type PublishedSheet = readonly [ids: string, grid: Pair, size: Pair | number, first: Pair, pitch: Pair, radius?: number]

type Pair = readonly [number, number]

// Sources, of which only measures were taken. LO: share/labels/labels.xml of LibreOffice 7.4, in hundredths of a mm.
// GL: the templates of gLabels 3.4, which give radii too; where it is named, it agrees within 0.1 mm. A sheet is the same
// upside down: where a list contradicts that, it is wrong. The list "Avery Zweckform" of LO takes A4 for 296.86 mm high,
// so that its upper margins lack 0.07 mm. Margins of GL for L7160 to L7164, L7169, 5160 and some of Herma are up to 2.5 mm
// off those of LO, which has most sheets twice, from Avery and from Herma, with the same measures; for 5160,
// gist.github.com/armadsen/5084458 agrees with LO. Left out, because sources differ by more than 0.5 mm or contradict
// themselves: Avery L7120, L7121, 22806, 22807, 22816, 5195, 5293 and 5294.
const a4Sheets: readonly PublishedSheet[] = [
  // LO Zweckform 4731, Avery L6008 and L7658, and Herma 4344, whose top is 13.5; radius: GL 8658.
  ['avery-l4731 avery-l6008 herma-4344', [7, 27], [25.4, 10], [8.48, 13.5], [27.94, 10], 1],
  // LO Zweckform 4732 and Herma 4345, whose top is 13.06; GL L4732 within 0.1 mm; radius: GL.
  ['avery-l4732 herma-4345', [5, 16], [35.56, 16.93], [11.02, 13.06], [38.1, 16.93], 1.5],
  // LO Avery L7651, GL 8651 within 0.1 mm; radius: GL, 5 pt.
  ['avery-l7651', [5, 13], [38.1, 21.17], [4.67, 10.9], [40.64, 21.17], 1.76],
  // LO Zweckform 3666, Herma 4606 and 4388.
  ['avery-3666 herma-4606 herma-4388', [5, 13], [38.1, 21.2], [9.75, 10.7], [38.1, 21.2]],
  // LO Herma 4226.
  ['herma-4226', [4, 16], [48.26, 16.93], [8.48, 13.06], [48.26, 16.93]],
  // LO Zweckform 4736, Avery L6009 and Herma 4346, whose top is 21.5.
  ['avery-l4736 avery-l6009 herma-4346', [4, 12], [45.72, 21.17], [9.75, 21.5], [48.26, 21.17]],
  // LO Zweckform 3651 and Herma 4461: a fortieth of A4.
  ['avery-3651 herma-4461 herma-4610', [4, 10], [52.5, 29.7], [0, 0], [52.5, 29.7]],
  // LO Zweckform 4780 and Herma 4474, whose top is 21.5; GL 4780 but for the top.
  ['avery-4780 herma-4474', [4, 10], [48.5, 25.4], [8, 21.5], [48.5, 25.4]],
  // LO Avery L7654; radius: GL L4770, the same sheet.
  ['avery-l7654', [4, 10], [45.72, 25.4], [9.75, 21.5], [48.26, 25.4], 1.5],
  // LO Zweckform 4737, Avery L6011 and Herma 4347, whose top is 15.15.
  ['avery-l4737 avery-l6011 herma-4347', [3, 9], [63.5, 29.63], [7.21, 15.15], [66.04, 29.63]],
  // LO Avery L7159; radius: its sisters in GL, 5 pt.
  ['avery-l7159', [3, 8], [64, 33.86], [6.46, 13.06], [66.54, 33.86], 1.76],
  // LO Zweckform 3474 and Herma 4464: an eighth of A4.
  ['avery-3474 herma-4464 herma-4615', [3, 8], [70, 37.125], [0, 0], [70, 37.125]],
  // LO Zweckform 3475 and 3490, Herma 4360 and 4453; GL 3490 agrees.
  ['avery-3475 avery-3490 herma-4360 herma-4453', [3, 8], [70, 36], [0, 4.5], [70, 36]],
  // LO Zweckform 3422.
  ['avery-3422', [3, 8], [70, 35], [0, 8.5], [70, 35]],
  // LO Avery L7160, Herma 4677 and 5074; radius: GL, 5 pt.
  ['avery-l7160 herma-4677 herma-5074', [3, 7], [63.5, 38.1], [7.2, 15.15], [66.04, 38.1], 1.76],
  // LO Zweckform 3652, Herma 5054 and 4616: a seventh of A4.
  ['avery-3652 herma-5054 herma-4616', [3, 7], [70, 297 / 7], [0, 0], [70, 297 / 7]],
  // LO Avery L7161 and Herma 4265; radius: GL, 7 pt.
  ['avery-l7161 herma-4265', [3, 6], [63.5, 46.56], [7.21, 8.82], [66.04, 46.56], 2.47],
  // LO Avery L7162 and Herma 4267; radius: GL, 5 pt.
  ['avery-l7162 herma-4267', [2, 8], [99.06, 33.87], [4.67, 13.02], [101.6, 33.87], 1.76],
  // LO Avery L7163 and Herma 4678; radius: GL, 5 pt.
  ['avery-l7163 herma-4678 herma-5076', [2, 7], [99.06, 38.1], [4.67, 15.15], [101.6, 38.1], 1.76],
  // LO Avery L7164 and Herma 4266; radius: GL, 8.5 pt.
  ['avery-l7164 herma-4266', [3, 4], [63.5, 71.97], [7.21, 4.57], [66.04, 71.97], 3],
  // LO Zweckform 3659 and 4781, whose tops lack 0.07; GL 4781.
  ['avery-3659 avery-4781', [2, 6], [97, 42.3], [8, 21.6], [97, 42.3]],
  // LO Zweckform 3424 and Herma 4457. GL 4457 has a top of 5.5, with which the sheet would not be the same upside down.
  ['avery-3424 herma-4457', [2, 6], [105, 48], [0, 4.5], [105, 48]],
  // LO Avery L7173 and Herma 4268.
  ['avery-l7173 herma-4268', [2, 5], [99.06, 57], [4.67, 6], [101.6, 57]],
  // LO Zweckform 3425.
  ['avery-3425', [2, 5], [105, 57], [0, 6], [105, 57]],
  // LO Avery L7165 and Herma 4269; GL 7165 agrees.
  ['avery-l7165 herma-4269', [2, 4], [99.06, 67.73], [4.67, 13.04], [101.6, 67.73]],
  // LO Zweckform 3427 and Herma 4470: an eighth of A4.
  ['avery-3427 herma-4470', [2, 4], [105, 74.25], [0, 0], [105, 74.25]],
  // LO Avery L7169, which lists the sheet lying; radius: GL, 6 pt.
  ['avery-l7169', [2, 2], [99.1, 139], [4.63, 9.5], [101.64, 139], 2.12],
  // LO Herma 4386.
  ['herma-4386', [8, 12], 20, [16.11, 14.53], [22.54, 22.54]],
  // LO Herma 4387.
  ['herma-4387', [6, 8], 30, [8.65, 19.61], [32.54, 32.54]],
  // LO Zweckform 3415 and Herma 4476, whose top is 13.5; GL Endisch 6500040 is the same die.
  ['avery-l3415 herma-4476 herma-5066', [4, 6], 40, [16, 13.5], [46, 46]],
  // LO Zweckform 3416 and Herma 4477, whose top is 18; GL Endisch 6500060 is the same die.
  ['avery-l3416 herma-4477 herma-5067', [3, 4], 60, [8, 18], [67, 67]],
  // LO Avery L7650 and L7670.
  ['avery-l7650 avery-l7670', [3, 4], 63.5, [5.25, 14.75], [68, 68]],
  // LO Herma 4478 and 5068; GL Endisch 6500085 is the same die.
  ['herma-4478 herma-5068', [2, 3], 85, [15, 11], [95, 95]],
]

const letterSheets: readonly PublishedSheet[] = [
  // LO and GL agree; radius: GL, as of all that follow.
  ['avery-5167 avery-8167', [4, 20], [1.75, 0.5], [0.28125, 0.5], [2.0625, 0.5], 0.0625],
  // LO. GL has gaps of 5/32 inch, which labels of 2 5/8 inches on centres of 2 3/4 do not have.
  ['avery-5160 avery-8160', [3, 10], [2.625, 1], [0.1875, 0.5], [2.75, 1], 0.0625],
  // LO and GL agree.
  ['avery-5366 avery-8366', [2, 15], [3.4375, 2 / 3], [0.53125, 0.5], [4, 2 / 3], 0.0625],
  // LO and GL agree.
  ['avery-5161 avery-8161', [2, 10], [4, 1], [0.15625, 0.5], [4.1875, 1], 0.0625],
  // LO and GL agree.
  ['avery-5162 avery-8162', [2, 7], [4, 4 / 3], [0.15625, 5 / 6], [4.1875, 4 / 3], 0.0625],
  // LO; GL has a left margin of 0.1625, with which the sheet would not be the same upside down.
  ['avery-5163 avery-8163', [2, 5], [4, 2], [0.15625, 0.5], [4.1875, 2], 0.125],
  // LO and GL agree: business cards.
  ['avery-5371 avery-8371', [2, 5], [3.5, 2], [0.75, 0.5], [3.5, 2]],
  // LO and GL agree: name badges.
  ['avery-5395 avery-8395', [2, 4], [3.375, 7 / 3], [0.6875, 7 / 12], [3.75, 2.5], 0.1875],
  // LO and GL agree.
  ['avery-5164 avery-8164', [2, 3], [4, 10 / 3], [0.15625, 0.5], [4.1875, 10 / 3], 0.125],
  // LO and GL agree.
  ['avery-5168', [2, 2], [3.5, 5], [0.5, 0.5], [4, 5], 0.0625],
  // LO 3112 and GL 3274.2, which is the 8293 too.
  ['avery-8293 avery-3112', [4, 5], 1.5, [0.5, 0.75], [2, 2]],
]

const MM_PER_INCH = 25.4

/** By their ids, in the order in which people are shown them: by paper, then from many labels to few. */
export const labelFormats: Readonly<Record<string, LabelFormat>> = Object.fromEntries(
  [
    ...a4Sheets.flatMap((sheet) => formatsOf('a4', sheet)),
    ...letterSheets.flatMap((sheet) => formatsOf('letter', sheet)),
  ]
    .toSorted((one, other) => (one.paper === other.paper ? countOf(other) - countOf(one) : 0))
    .map((format) => [format.id, format]),
)

/** How many labels a sheet has. */
export function countOf(format: LabelFormat): number {
  return format.columns * format.rows
}

/**
 * The format that a request means: an id of `labelFormats`, or free measures, `<width>x<height>`, with `+<gap>` or
 * `+<gap across>x<gap down>` if labels do not touch, in mm with up to three decimals. Free measures lie in the middle of
 * the paper, as many as it has room for. The paper is A4 for those unless named, and a named format has its own.
 */
export function readLabels(labels: string, paper?: Paper): LabelFormat | Refusal {
  const named = ownValue(labelFormats, labels)
  if (named !== undefined) {
    if (paper === undefined || paper === named.paper) return named
    return {
      pointer: '/paper',
      detail: `must be ${named.paper} or left out for ${labels}, which is a sheet of that size`,
    }
  }
  const [, width, height, gapX, gapY] = FREE_MEASURES.exec(labels) ?? []
  if (width === undefined || height === undefined) return refuse(unknownDetail(labels))
  const gap = { width: micrometres(gapX ?? '0'), height: micrometres(gapY ?? gapX ?? '0') }
  return freeFormat(labels, paper ?? 'a4', { width: micrometres(width), height: micrometres(height) }, gap)
}

const FREE_MEASURES =
  /^(\d{1,3}(?:\.\d{1,3})?)x(\d{1,3}(?:\.\d{1,3})?)(?:\+(\d{1,2}(?:\.\d{1,3})?)(?:x(\d{1,2}(?:\.\d{1,3})?))?)?$/

/** In whole ones, so that ten labels of 29.7 mm are exactly 297 mm. */
function micrometres(millimetres: string): number {
  return Math.round(Number(millimetres) * 1000)
}

function freeFormat(id: string, paper: Paper, label: Size, gap: Size): LabelFormat | Refusal {
  const { width, height } = paperSizes[paper]
  if (Math.min(label.width, label.height) < MIN_SIZE * 1000)
    return refuse(`must be at least ${MIN_SIZE} mm wide and ${MIN_SIZE} mm high`)
  if (label.width > width * 1000 || label.height > height * 1000)
    return refuse(`must be at most ${width} mm wide and ${height} mm high, the size of ${paper}`)
  if (Math.max(gap.width, gap.height) > MAX_GAP * 1000) return refuse(`must have gaps of at most ${MAX_GAP} mm`)
  const across = inMiddle(width, label.width, gap.width)
  const down = inMiddle(height, label.height, gap.height)
  return {
    id,
    name: `${label.width / 1000} × ${label.height / 1000} mm`,
    paper,
    columns: across.count,
    rows: down.count,
    width: label.width / 1000,
    height: label.height / 1000,
    left: across.first,
    top: down.first,
    pitchX: (label.width + gap.width) / 1000,
    pitchY: (label.height + gap.height) / 1000,
    radius: 0,
    isRound: false,
  }
}

/** As many as there is room for in a length in mm, and where the first begins. Labels and gaps are in micrometres. */
function inMiddle(length: number, label: number, gap: number): { count: number; first: number } {
  const room = Math.round(length * 1000)
  const count = Math.floor((room + gap) / (label + gap))
  return { count, first: (room - count * label - (count - 1) * gap) / 2000 }
}

function unknownDetail(labels: string): string {
  const near = nearName(labels, Object.keys(labelFormats))
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`
  return `must be a sheet such as avery-l7160, or measures in mm such as 63.5x38.1+2.5${hint}`
}

function refuse(detail: string): Refusal {
  return { pointer: '/labels', detail, [REASON]: { name: 'measures', limit: MIN_SIZE } }
}

/** One for each number under which the same sheet is sold. */
function formatsOf(paper: Paper, sheet: PublishedSheet): LabelFormat[] {
  const mm = (length: number) => (paper === 'a4' ? length : length * MM_PER_INCH)
  const [ids, grid, size, first, pitch, radius = 0] = sheet
  const [width, height] = typeof size === 'number' ? [size, size] : size
  const measures = {
    paper,
    columns: grid[0],
    rows: grid[1],
    width: mm(width),
    height: mm(height),
    left: mm(first[0]),
    top: mm(first[1]),
    pitchX: mm(pitch[0]),
    pitchY: mm(pitch[1]),
    radius: mm(radius),
    isRound: typeof size === 'number',
  }
  return ids.split(' ').map((id) => ({ id, name: nameOf(id), ...measures }))
}

/** `Avery L7160` for `avery-l7160`. */
function nameOf(id: string): string {
  const [brand = '', number = ''] = id.split('-')
  return `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)} ${number.toUpperCase()}`
}
