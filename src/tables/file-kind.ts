import { TableError } from './table-error.ts'

/**
 * Whether a file is an Excel workbook; others are texts.
 * @throws {TableError} when it is a file of a spreadsheet that is neither
 */
export function isWorkbook(bytes: Uint8Array): boolean {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]))
    throw new TableError(
      'office_file',
      'is a file of an old Excel, or protected by a password: save it as .xlsx or CSV',
    )
  return startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])
}

function startsWith(bytes: Uint8Array, magic: number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte)
}
