import { encodeQR, type ErrorCorrection } from 'qr'
import { invalidRequest } from '../http/problem.ts'

/** Error-correction levels of ISO/IEC 18004, 6.5.1: about 7, 15, 25 and 30 % of the symbol may be lost. */
export type Level = 'L' | 'M' | 'Q' | 'H'

/** The modules of a symbol without its quiet zone: rows of columns, true is dark. */
export type Matrix = readonly (readonly boolean[])[]

const names: Record<Level, ErrorCorrection> = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' }

/** Characters that the largest symbol holds (ISO/IEC 18004, table 7), by mode. */
const capacities = {
  numeric: { L: 7089, M: 5596, Q: 3993, H: 3057 },
  alphanumeric: { L: 4296, M: 3391, Q: 2420, H: 1852 },
  byte: { L: 2953, M: 2331, Q: 1663, H: 1273 },
}

/**
 * Encodes a text, as UTF-8 where it is not all digits or all of the alphanumeric set, in the smallest symbol that holds
 * it, with the mask that the standard's penalty score prefers.
 * @throws {Problem} 400 when no symbol of that level holds the text
 */
export function encodeMatrix(text: string, level: Level): Matrix {
  const mode = /^\d+$/.test(text) ? 'numeric' : /^[\dA-Z $%*+\-./:]+$/.test(text) ? 'alphanumeric' : 'byte'
  const bound = capacities[mode][level]
  if (Buffer.byteLength(text) > bound) {
    const unit = { numeric: 'digits', alphanumeric: 'characters', byte: 'bytes in UTF-8' }[mode]
    throw invalidRequest([{ pointer: '/data', detail: `must be at most ${bound} ${unit} at level ${level}` }])
  }
  // The library always draws a border; the quiet zone is the renderer's.
  const bordered = encodeQR(text, 'raw', { ecc: names[level], encoding: mode, border: 1 })
  return bordered.slice(1, -1).map((row) => row.slice(1, -1))
}
