import { invalidRequest, Problem, REASON } from '../../http/problem.ts'
import { CAPITAL, type FontName } from './fonts.ts'
import type { GlyphLine } from './embedded-fonts.ts'
import { LEAST_MODULE_MM } from '../printed-size.ts'
import { largestSquare, sizeInSquare, type CodeShape } from './code-size.ts'
import {
  baselinesOf,
  heightOf,
  isRightToLeft,
  setText,
  shares,
  type Block,
  type Face,
  type Measure,
} from './set-text.ts'
import type { Template, Typography } from './template.ts'

/** A page as it is printed, in millimetres from the upper left corner of what is cut out. */
export interface PrintPage {
  template: Template
  faces: PageFace[]
}

/** What is read upright together; a tent has two, of which one stands on its head. */
export interface PageFace {
  x: number
  y: number
  width: number
  height: number
  isTurned: boolean
  parts: Part[]
}

/** In millimetres from the upper left corner of the face. */
export type Part = { kind: 'code' | 'logo' | 'black'; x: number; y: number; width: number; height: number } | TextPart

export interface TextPart {
  kind: 'text'
  text: string
  font: FontName
  size: number
  /** From the left edge of the text, whose width follows; `most` is that of the lines it stands in. */
  x: number
  width: number
  most: number
  align: 'left' | 'middle' | 'right'
  baseline: number
  isWhite: boolean
  /** Its glyphs, if they have been set. */
  line?: GlyphLine
}

/** What is set on a page. */
export interface PageContent {
  /** Empty for none, as the other texts. */
  title: string
  text: string
  address: string
  code: CodeShape
  /** Of the logo that stands above the title: its width by its height; undefined for none. */
  logo: number | undefined
}

interface Room {
  x: number
  y: number
  width: number
  height: number
}

type FaceOf = (name: FontName) => Face

/**
 * Sets texts and the code on a page.
 * @throws {Problem} 400 when the code's modules would be smaller than `LEAST_MODULE_MM`, or texts do not fit at their smallest sizes
 */
export function composePage(
  template: Template,
  typography: Typography,
  content: PageContent,
  faceOf: FaceOf,
): PrintPage {
  const faces = facesOf(template).map((face) => {
    const compose = template.arrangement === 'stack' ? composeStack : composeRow
    return { ...face, parts: compose({ template, typography, content, faceOf }, roomOf(template, face)) }
  })
  return { template, faces }
}

function facesOf({ width, height, folds }: Template): Omit<PageFace, 'parts'>[] {
  const [first, middle, last] = folds
  if (first === undefined || middle === undefined || last === undefined)
    return [{ x: 0, y: 0, width, height, isTurned: false }]
  return [
    { x: 0, y: first, width, height: middle - first, isTurned: true },
    { x: 0, y: middle, width, height: last - middle, isTurned: false },
  ]
}

/** What is inside the edges. In a circle, a rectangle that is a little higher than wide, as texts below the code take height. */
function roomOf({ shape, edge }: Template, { width, height }: Omit<PageFace, 'parts'>): Room {
  if (shape === 'rectangle') return { x: edge, y: edge, width: width - 2 * edge, height: height - 2 * edge }
  const angle = Math.PI * 0.27
  const [across, down] = [(width - 2 * edge) * Math.cos(angle), (height - 2 * edge) * Math.sin(angle)]
  return { x: (width - across) / 2, y: (height - down) / 2, width: across, height: down }
}

interface Composed {
  template: Template
  typography: Typography
  content: PageContent
  faceOf: FaceOf
}

/** The code in a square; `pad` must stay empty around it, where its design has too little of a quiet zone. */
function codeIn({ content: { code } }: Composed, side: number): { width: number; height: number; pad: number } {
  const { module } = sizeInSquare(code, side)
  if (module < LEAST_MODULE_MM) {
    const needed = Math.ceil(side * (LEAST_MODULE_MM / module))
    const detail =
      `has ${Math.floor(side)} mm for the code, whose modules would be ${module.toFixed(2)} mm: ` +
      `they need ${LEAST_MODULE_MM} mm, and this code ${needed} mm`
    throw invalidRequest([{ pointer: '/paper', detail, [REASON]: { name: 'modules', limit: needed } }])
  }
  const width = module * code.columns
  return { width, height: width * code.ratio, pad: module * code.quiet }
}

function composeStack(composed: Composed, room: Room): Part[] {
  const { gap, code: sides } = composed.template
  const logoAt = (share: number) => logoOf(composed, room.width, share)
  const codeAt = (share: number) => codeIn(composed, Math.max(sides[1], sides[0] * share))
  const { title, text, address, share } = fitTexts(composed, room.width, (heights, reduced) => {
    const { height, pad: around } = codeAt(reduced)
    return isWithin([height + 2 * around, ...heightsOf(logoAt(reduced)), ...heights], gap, room.height)
  })
  const { pad, ...code } = codeAt(share)
  const logo = logoAt(share)
  const pile = createPile(room, gap)
  if (logo) pile.add(logo.height, (y) => [{ kind: 'logo', x: middleOf(room, logo.width), y, ...logo }])
  if (title) pile.add(heightWithOrnament(title, composed), (y) => writeTitle(composed, title, { y, room }))
  pile.add(code.height + 2 * pad, (y) => [{ kind: 'code', x: middleOf(room, code.width), y: y + pad, ...code }])
  for (const block of [text, address]) if (block) pile.add(heightOf(block), (y) => write(block, { room, y }))
  return pile.parts()
}

function heightsOf(part: { height: number } | undefined): number[] {
  return part === undefined ? [] : [part.height]
}

/** A code alone fills its room, but for the last digit. */
const ROUNDING = 1e-6

function isWithin(heights: number[], gap: number, room: number): boolean {
  return heights.reduce((sum, height) => sum + height, 0) + (heights.length - 1) * gap <= room + ROUNDING
}

function middleOf(room: Room, width: number): number {
  return room.x + (room.width - width) / 2
}

/** Parts one below the other, in the middle of a room. */
function createPile(room: Room, gap: number) {
  const rows: { height: number; place: (y: number) => Part[] }[] = []
  return {
    add: (height: number, place: (y: number) => Part[]) => void rows.push({ height, place }),
    parts(): Part[] {
      const used = rows.reduce((sum, { height }) => sum + height, 0) + Math.max(0, rows.length - 1) * gap
      let y = room.y + (room.height - used) / 2
      return rows.flatMap(({ height, place }) => {
        const placed = place(y)
        y += height + gap
        return placed
      })
    },
  }
}

/** The code on the left; texts on the right of it, as a block in the middle. Where texts are written from right to left, so is the page. */
function composeRow(composed: Composed, room: Room): Part[] {
  const { template, typography } = composed
  const { pad, ...code } = codeIn(composed, largestSquare(template))
  const left = room.x + code.width + 2 * pad + 2 * template.gap
  const column = { x: left, y: room.y, width: room.x + room.width - left, height: room.height }
  const gap = template.gap / 2
  const logoAt = (share: number) => logoOf(composed, column.width, share)
  const { title, text, address, share } = fitTexts(composed, column.width, (heights, reduced) =>
    isWithin([...heightsOf(logoAt(reduced)), ...heights], gap, column.height),
  )
  const logo = logoAt(share)
  const hasLine = typography.ornament === 'line' && (title ?? text ?? address ?? logo) !== undefined
  const pile = createPile(column, gap)
  if (logo) pile.add(logo.height, (y) => [{ kind: 'logo', x: column.x, y, ...logo }])
  if (title) pile.add(heightWithOrnament(title, composed), (y) => writeTitle(composed, title, { y, room: column }))
  for (const block of [text, address])
    if (block) pile.add(heightOf(block), (y) => write(block, { room: column, y, align: 'left' }))
  const parts: Part[] = [
    { kind: 'code', x: room.x + pad, y: room.y + (room.height - code.height) / 2, ...code },
    ...(hasLine ? [lineBeside(column, template.gap)] : []),
    ...pile.parts(),
  ]
  const { content } = composed
  return isRightToLeft(content.title || content.text) ? parts.map((part) => mirrored(part, room)) : parts
}

function mirrored(part: Part, room: Room): Part {
  const x = 2 * room.x + room.width - part.x - part.width
  return part.kind === 'text' ? { ...part, x, align: 'right' } : { ...part, x }
}

function lineBeside({ x, y, height }: Room, gap: number): Part {
  const width = Math.max(0.2, gap * 0.05)
  return { kind: 'black', x: x - gap / 2 - width, y: y + height * 0.1, width, height: height * 0.8 }
}

function logoOf({ template, content: { logo } }: Composed, width: number, share: number) {
  if (logo === undefined) return undefined
  const height = Math.min(template.title[0] * 1.4 * share, (width * 0.6) / logo)
  return { width: height * logo, height }
}

/** The height of a title with its band or its line, by the size of its letters. */
const BAND = 0.35
const LINE_BELOW = 0.5

function heightWithOrnament(title: Block, { template, typography: { ornament } }: Composed): number {
  const line = template.arrangement === 'stack' ? LINE_BELOW : 0
  return heightOf(title) + title.size * { none: 0, line, band: 2 * BAND }[ornament]
}

interface Texts {
  title: Block | undefined
  text: Block | undefined
  address: Block | undefined
  /** Of their largest sizes. */
  share: number
}

/** Sets the texts at the largest sizes, all reduced by the same share, at which `fits` accepts their heights. */
function fitTexts(composed: Composed, width: number, fits: (heights: number[], share: number) => boolean): Texts {
  const { template, typography, content, faceOf } = composed
  const { wholeFrom } = template
  const [headline, body] = [faceOf(typography.headline), faceOf(typography.text)]
  const set = (font: Face, text: string, measure: Measure) => (text === '' ? undefined : setText(font, text, measure))
  for (const share of shares([template.title, template.text, template.address])) {
    const title = set(headline, content.title, {
      width: width - 2 * sideOf(template, typography),
      sizes: template.title,
      share,
      wholeFrom,
    })
    const text = set(body, content.text, { width, sizes: template.text, share, wholeFrom })
    const address = set(body, content.address, { width, sizes: template.address, share, wholeFrom })
    const heights = [
      ...(title ? [heightWithOrnament(title, composed)] : []),
      ...[text, address].flatMap((block) => (block ? [heightOf(block)] : [])),
    ]
    if (fits(heights, share)) return { title, text, address, share }
  }
  throw tooLong(content)
}

/** Beside a title: the ends of its band. */
function sideOf({ title }: Template, { ornament }: Typography): number {
  return ornament === 'band' ? (BAND * title[0]) / 2 : 0
}

/** The longest of the texts is what must be shorter, unless there is a logo, which can be left out. */
function tooLong({ title, text, address, logo }: PageContent): Problem {
  if (logo !== undefined)
    return refusal('/logo', 'has no room above these texts: leave it out with logo=0, or choose a larger paper')
  const [longest = 'title'] =
    Object.entries({ title, text, address }).toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const detail =
    longest === 'address'
      ? 'has no room for the address: leave it out with address=0, or choose a larger one'
      : 'does not fit onto the page at its smallest size: it must be shorter, or the paper larger'
  return refusal(longest === 'address' ? '/paper' : `/${longest}`, detail)
}

function refusal(pointer: string, detail: string): Problem {
  return new Problem('text_too_long', `${pointer} ${detail}`, {
    errors: [{ pointer, detail, [REASON]: { name: 'no_room' } }],
  })
}

function writeTitle(composed: Composed, title: Block, { y, room }: { y: number; room: Room }): Part[] {
  const { template, typography } = composed
  const { ornament } = typography
  const align = template.arrangement === 'row' ? 'left' : 'middle'
  if (ornament === 'band') {
    const side = sideOf(template, typography)
    const inner = { ...room, x: room.x + side, width: room.width - 2 * side }
    return [
      { kind: 'black', x: room.x, y, width: room.width, height: heightWithOrnament(title, composed) },
      ...write(title, { room: inner, y: y + title.size * BAND, align, isWhite: true }),
    ]
  }
  const text = write(title, { room, y, align })
  if (ornament === 'none' || align === 'left') return text
  const width = Math.min(room.width, title.size * 2.5)
  const height = Math.max(0.2, title.size * 0.04)
  const below = y + heightOf(title) + title.size * (LINE_BELOW / 2)
  return [...text, { kind: 'black', x: middleOf(room, width), y: below, width, height }]
}

function write(
  block: Block,
  {
    room,
    y,
    align = 'middle',
    isWhite = false,
  }: { room: Room; y: number; align?: 'left' | 'middle'; isWhite?: boolean },
): TextPart[] {
  const baselines = baselinesOf(block, CAPITAL)
  return block.lines.map((text, at) => {
    const width = block.font.width(text) * block.size
    const x = align === 'left' ? room.x : middleOf(room, width)
    return {
      kind: 'text',
      text,
      font: block.font.name,
      size: block.size,
      x,
      width,
      most: room.width,
      align,
      baseline: y + (baselines[at] ?? 0),
      isWhite,
    }
  })
}
