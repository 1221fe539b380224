import { createCodewords } from './codewords.ts'
import { emptyBits, formatBits, layOut, setBit, type Bits, type Layout } from './layout.ts'
import { penaltyOf } from './penalty.ts'
import { inOneSegment, planSegments } from './segments.ts'
import { blocksOf, levels, type Level } from './tables.ts'

/** A QR code of ISO/IEC 18004, model 2, without its quiet zone. */
export interface QrSymbol {
  version: number
  /** The actual level: higher than requested where that needs no larger version. */
  level: Level
  mask: number
  /** Modules on a side. */
  size: number
  /** Row by row, 1 is dark. */
  modules: Uint8Array
}

export interface EncodeOptions {
  level: Level
  /** Whether to raise the level as far as the version allows. */
  boost?: boolean
  minVersion?: number
  /** Instead of the mask with the least penalty. */
  mask?: number
}

/** Encodes UTF-8 in the smallest symbol that holds it; undefined when none does. */
export type Encoder = (bytes: Uint8Array, options: EncodeOptions) => QrSymbol | undefined

/** The layout of a version, and buffers to draw in, since allocating them would take as long as drawing. */
interface Board {
  layout: Layout
  unmasked: Bits
  drafts: [Bits, Bits]
}

/** Creates an encoder, which caches the layouts of the versions that it has used. */
export function createEncoder(): Encoder {
  const codewordsOf = createCodewords()
  const boards: (Board | undefined)[] = []
  return (bytes, { level: atLeast, boost = true, minVersion = 1, mask: forced }) => {
    const plan = planSegments(bytes, atLeast, minVersion)
    if (plan === undefined) return undefined
    const { version, bits } = plan
    const fits = (level: Level) => bits <= blocksOf(version, level).data * 8
    const level = boost ? (levels.findLast(fits) ?? atLeast) : atLeast
    const board = (boards[version] ??= createBoard(version))
    place(board, codewordsOf(inOneSegment(plan, bytes, level), level))
    const { mask, drawn } =
      forced === undefined
        ? leastPenalty(board, level)
        : { mask: forced, drawn: draw(board, { level, mask: forced }, board.drafts[0]) }
    return { version, level, mask, size: drawn.size, modules: unpack(drawn) }
  }
}

function createBoard(version: number): Board {
  const layout = layOut(version)
  const empty = () => emptyBits(layout.fixed.size)
  return { layout, unmasked: empty(), drafts: [empty(), empty()] }
}

/** Draws the function patterns and the codewords. */
function place({ layout: { fixed, places }, unmasked }: Board, codewords: Uint8Array): void {
  unmasked.rows.set(fixed.rows)
  unmasked.columns.set(fixed.columns)
  for (let at = 0; at < codewords.length * 8; at++) {
    const place = places[at] ?? 0
    if (((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) setBit(unmasked, place & 255, place >> 8)
  }
}

function leastPenalty(board: Board, level: Level): { mask: number; drawn: Bits } {
  let [drawn, draft] = board.drafts
  let [mask, least] = [0, Infinity]
  for (let candidate = 0; candidate < board.layout.masks.length; candidate++) {
    const penalty = penaltyOf(draw(board, { level, mask: candidate }, draft), least)
    if (penalty >= least) continue
    ;[mask, least] = [candidate, penalty]
    ;[drawn, draft] = [draft, drawn]
  }
  return { mask, drawn }
}

/** Draws the symbol with a mask and its format information. */
function draw({ layout, unmasked }: Board, format: { level: Level; mask: number }, drawn: Bits): Bits {
  const inverted = layout.masks[format.mask] ?? unmasked
  for (let at = 0; at < drawn.rows.length; at++) {
    drawn.rows[at] = (unmasked.rows[at] ?? 0) ^ (inverted.rows[at] ?? 0)
    drawn.columns[at] = (unmasked.columns[at] ?? 0) ^ (inverted.columns[at] ?? 0)
  }
  const bits = formatBits(format.level, format.mask)
  const { formatPlaces } = layout
  for (let at = 0; at < formatPlaces.length; at++) {
    const place = formatPlaces[at] ?? 0
    if ((bits >> (at % 15)) & 1) setBit(drawn, place & 255, place >> 8)
  }
  return drawn
}

function unpack({ size, words, rows }: Bits): Uint8Array {
  const modules = new Uint8Array(size * size)
  for (let y = 0, at = 0; y < size; y++) {
    for (let x = 0; x < size; x++, at++) modules[at] = ((rows[y * words + (x >> 5)] ?? 0) >>> (x & 31)) & 1
  }
  return modules
}
