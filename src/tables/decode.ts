import { TableError } from './table-error.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

export interface Decoded {
  text: string
  encoding: Encoding
}

/** What a reader says of a table that was read as Windows-1252: its letters were guessed. */
export const WINDOWS_1252_NOTE =
  'it is not UTF-8, and was read as Windows-1252: if letters are wrong, save it as UTF-8 and send it again'

/** Bytes that Windows-1252 does not define. */
const UNDEFINED = [0x81, 0x8d, 0x8f, 0x90, 0x9d]

/**
 * Decodes a text file: by its mark, as UTF-16 where every other byte of its first letter is 0, as UTF-8, or else as what
 * spreadsheets on Windows save. No byte becomes a replacement character.
 * @throws {TableError} when it is nothing of this
 */
export function decodeText(bytes: Uint8Array): Decoded {
  const marked = markedEncoding(bytes)
  if (marked !== undefined) return decodeAs(marked, bytes)
  try {
    return decodeAs('utf-8', bytes)
  } catch (error) {
    if (UNDEFINED.some((byte) => bytes.includes(byte)))
      throw new TableError('encoding', 'is neither UTF-8 nor Windows-1252: save it as UTF-8', { cause: error })
    // With `fatal`, which nothing fails any more, Node takes six times as long, during which a server answers nobody.
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

function markedEncoding([first = 1, second = 1, third = 1]: Uint8Array): Exclude<Encoding, 'windows-1252'> | undefined {
  switch ((first << 8) | second) {
    case 0xfffe:
      return 'utf-16le'
    case 0xfeff:
      return 'utf-16be'
    case 0xefbb:
      return third === 0xbf ? 'utf-8' : undefined
    default:
      if (first === 0 || second === 0) return first === 0 ? 'utf-16be' : 'utf-16le'
      return undefined
  }
}

function decodeAs(encoding: Exclude<Encoding, 'windows-1252'>, bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding }
  } catch (error) {
    throw new TableError('encoding', `begins as ${encoding.toUpperCase()}, and is not: save it as UTF-8`, {
      cause: error,
    })
  }
}
