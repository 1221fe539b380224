import { latin1, viewOf } from '../../lib/bytes.ts'

/** Unpacks zlib data (RFC 1950): at once as Node does, or later as browsers do. */
export type Inflate = (packed: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>

/** The tables of a font in a WOFF file (W3C, WOFF 1.0), by their four-letter names. */
export async function readWoff(file: Uint8Array<ArrayBuffer>, inflate: Inflate): Promise<Map<string, DataView>> {
  if (latin1(file.subarray(0, 4)) !== 'wOFF') throw new Error('this is no WOFF file')
  const view = viewOf(file)
  const tables = new Map<string, DataView>()
  const count = view.getUint16(12)
  for (let at = 44; at < 44 + count * 20; at += 20) {
    const [offset, packed, length] = [4, 8, 12].map((field) => view.getUint32(at + field)) as [number, number, number]
    const data = file.subarray(offset, offset + packed)
    tables.set(latin1(file.subarray(at, at + 4)), viewOf(packed < length ? await inflate(data) : data))
  }
  return tables
}
