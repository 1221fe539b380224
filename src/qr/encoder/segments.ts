import { blocksOf, MAX_VERSION, type Level } from './tables.ts'

/** A run of bytes in one mode (ISO/IEC 18004, 7.4). */
export interface Segment {
  mode: Mode
  bytes: Uint8Array
}

export type Mode = 0 | 1 | 2
export const NUMERIC = 0 satisfies Mode
export const ALPHANUMERIC = 1 satisfies Mode
export const BYTE = 2 satisfies Mode
const modes = [NUMERIC, ALPHANUMERIC, BYTE] as const

/** The mode indicator of each mode. */
export const indicators = [1, 2, 4] as const

/** Bits of the character count (table 3), by mode, for versions up to 9, up to 26 and up to 40. */
const countBits = [
  [10, 12, 14],
  [9, 11, 13],
  [8, 16, 16],
] as const
const lastVersions = [9, 26, MAX_VERSION] as const

export function countBitsOf(mode: Mode, version: number): number {
  return countBits[mode][version <= 9 ? 0 : version <= 26 ? 1 : 2]
}

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'

/** The value of a byte in the alphanumeric set, or -1. */
export const alphanumericValue = Int8Array.from({ length: 256 }, (_, byte) =>
  alphanumerics.indexOf(String.fromCharCode(byte)),
)

// The cost of a character in sixths of a bit: three digits take 10 bits, two alphanumeric characters 11. Rounded up to
// whole bits, the cost of a run is exact: 1 and 2 remaining digits take 4 and 7 bits, and 1 character 6.
const SIXTHS = 6
const costs = [20, 33, 48] as const

/**
 * The header that says that the bytes are UTF-8 (7.4.3; 26 is UTF-8 in the register of extended channel interpretations).
 * Without it, decoders guess: zbar takes `Café` for Big5.
 */
export const utf8Header = { indicator: 7, assignment: 26, bits: 4 + 8 } as const

/** A text divided into segments, and the smallest symbol that holds it. */
export interface Plan {
  segments: Segment[]
  /** Whether `utf8Header` comes before the segments. */
  saysUtf8: boolean
  version: number
  /** Bits of all segments with their headers, and of `utf8Header`. */
  bits: number
}

/**
 * Divides UTF-8 into segments that take the fewest bits, for the smallest version of that level, at least `minVersion`,
 * that holds them; undefined when none does. The best division depends on the version, because headers grow twice.
 * What is not ASCII is said to be UTF-8, unless only a symbol that does not say so has room for it.
 */
export function planSegments(bytes: Uint8Array, level: Level, minVersion = 1): Plan | undefined {
  const isAscii = bytes.every((byte) => byte < 0x80)
  const said = isAscii ? undefined : planWithin(bytes, level, minVersion, utf8Header.bits)
  if (said !== undefined) return { ...said, saysUtf8: true }
  const unsaid = planWithin(bytes, level, minVersion, 0)
  return unsaid && { ...unsaid, saysUtf8: false }
}

/**
 * The same text in one segment of bytes, where the symbol has room for that: OpenCV 4.12 fails on most other divisions of a
 * text that is said to be UTF-8.
 */
export function inOneSegment(plan: Plan, bytes: Uint8Array, level: Level): Plan {
  if (!plan.saysUtf8 || plan.segments.length === 1) return plan
  const bits = utf8Header.bits + 4 + countBitsOf(BYTE, plan.version) + bytes.length * 8
  if (bits > blocksOf(plan.version, level).data * 8) return plan
  return { ...plan, segments: [{ mode: BYTE, bytes }], bits }
}

/** Plans segments that begin after so many bits. */
function planWithin(
  bytes: Uint8Array,
  level: Level,
  minVersion: number,
  used: number,
): Omit<Plan, 'saysUtf8'> | undefined {
  for (const [group, last] of lastVersions.entries()) {
    if (last < minVersion || exceeds(bytes, last, level)) continue
    const divided = divide(bytes, group)
    const bits = divided.bits + used
    const first = Math.max(minVersion, (lastVersions[group - 1] ?? 0) + 1)
    for (let version = first; version <= last; version++) {
      if (bits <= blocksOf(version, level).data * 8) return { segments: divided.segments, version, bits }
    }
  }
  return undefined
}

/** Whether bytes exceed a version even if all of them were digits. */
function exceeds(bytes: Uint8Array, version: number, level: Level): boolean {
  return bytes.length * costs[NUMERIC] > blocksOf(version, level).data * 8 * SIXTHS
}

/** Finds the cheapest division by dynamic programming: for each mode, the lowest cost of the bytes so far that ends in it. */
function divide(bytes: Uint8Array, group: number): { segments: Segment[]; bits: number } {
  const heads = modes.map((mode) => (4 + (countBits[mode][group] ?? 0)) * SIXTHS)
  // For each byte and mode, the mode of the byte before in the cheapest division.
  const before = new Uint8Array(bytes.length * modes.length)
  const ends = Float64Array.from(heads)
  for (let at = 0; at < bytes.length; at++) {
    // A change of mode starts from the cheapest one, rounded up to whole bits.
    const cheapest = cheapestOf(ends)
    const whole = wholeBits(ends[cheapest] ?? 0) * SIXTHS
    const byte = bytes[at] ?? 0
    for (const mode of modes) {
      const stayed = ends[mode] ?? 0
      const changed = whole + (heads[mode] ?? 0)
      before[at * modes.length + mode] = changed < stayed ? cheapest : mode
      ends[mode] = isOf(mode, byte) ? Math.min(stayed, changed) + costs[mode] : Infinity
    }
  }
  const last = cheapestOf(ends)
  return { segments: follow(bytes, before, last), bits: wholeBits(ends[last] ?? 0) }
}

function cheapestOf(ends: Float64Array): Mode {
  const [numeric, alphanumeric, byte] = [ends[NUMERIC] ?? 0, ends[ALPHANUMERIC] ?? 0, ends[BYTE] ?? 0]
  if (numeric <= alphanumeric) return numeric <= byte ? NUMERIC : BYTE
  return alphanumeric <= byte ? ALPHANUMERIC : BYTE
}

function wholeBits(sixths: number): number {
  return Math.ceil(sixths / SIXTHS)
}

function isOf(mode: Mode, byte: number): boolean {
  if (mode === BYTE) return true
  return mode === ALPHANUMERIC ? (alphanumericValue[byte] ?? -1) >= 0 : byte >= 0x30 && byte <= 0x39
}

/** Reconstructs the cheapest division from its end. */
function follow(bytes: Uint8Array, before: Uint8Array, last: Mode): Segment[] {
  const segments: Segment[] = []
  let [mode, end] = [last, bytes.length]
  for (let at = bytes.length - 1; at >= 0; at--) {
    const previous = before[at * modes.length + mode] as Mode
    if (previous === mode && at > 0) continue
    segments.unshift({ mode, bytes: bytes.subarray(at, end) })
    ;[mode, end] = [previous, at]
  }
  return segments
}
