import { inflateSync } from 'node:zlib'

/** The tables of a font in a WOFF file (W3C, WOFF 1.0), by their four-letter names. */
export function readWoff(file: Buffer): Map<string, Buffer> {
  if (file.toString('latin1', 0, 4) !== 'wOFF') throw new Error('this is no WOFF file')
  const tables = new Map<string, Buffer>()
  const count = file.readUInt16BE(12)
  for (let at = 44; at < 44 + count * 20; at += 20) {
    const [offset, packed, length] = [4, 8, 12].map((field) => file.readUInt32BE(at + field)) as [
      number,
      number,
      number,
    ]
    const data = file.subarray(offset, offset + packed)
    tables.set(file.toString('latin1', at, at + 4), packed < length ? inflateSync(data) : data)
  }
  return tables
}
