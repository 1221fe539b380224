import { invalidRequest } from '../http/problem.ts'
import { createEncoder, type EncodeOptions, type QrSymbol } from './encoder/encoder.ts'

export type { QrSymbol } from './encoder/encoder.ts'
export type { Level } from './encoder/tables.ts'

/** The capacity of the largest symbol in characters (ISO/IEC 18004, table 7), by mode. */
const capacities = {
  numeric: { L: 7089, M: 5596, Q: 3993, H: 3057 },
  alphanumeric: { L: 4296, M: 3391, Q: 2420, H: 1852 },
  byte: { L: 2953, M: 2331, Q: 1663, H: 1273 },
}

/**
 * Encodes a text as UTF-8 in the smallest symbol that holds it.
 * @throws {Problem} 400 when no symbol of that level holds the text
 */
export type EncodeText = (text: string, options: EncodeOptions) => QrSymbol

export function createEncodeText(): EncodeText {
  const encode = createEncoder()
  const utf8 = new TextEncoder()
  return (text, options) => {
    const symbol = encode(utf8.encode(text), options)
    if (symbol !== undefined) return symbol
    const mode = /^\d+$/.test(text) ? 'numeric' : /^[\dA-Z $%*+\-./:]+$/.test(text) ? 'alphanumeric' : 'byte'
    const unit = { numeric: 'digits', alphanumeric: 'characters', byte: 'bytes in UTF-8' }[mode]
    const detail = `must be at most ${capacities[mode][options.level]} ${unit} at level ${options.level}`
    throw invalidRequest([{ pointer: '/data', detail }])
  }
}
