import { latin1, viewOf } from '../../lib/bytes.ts'
import { TableError } from '../table-error.ts'

/** Unpacked bytes of all files that are read of a workbook. */
export const MAX_UNPACKED = 32 * 1024 * 1024
/** Files of an archive; a workbook of many sheets and images has some hundred. */
const MAX_FILES = 4_096

const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50]
const STORED = 0
const DEFLATED = 8

interface Entry {
  method: number
  crc32: number
  packed: number
  unpacked: number
  /** Where its local header begins. */
  at: number
}

/** Reads files of an archive; undefined for one that it does not have. */
export type ReadFile = (name: string) => Promise<Uint8Array | undefined>

/**
 * Opens a ZIP (APPNOTE 6.3.10, without encryption and ZIP64). The platform's own decompressor checks length and checksum;
 * what it unpacks is counted meanwhile.
 * @throws {TableError}
 */
export function openZip(bytes: Uint8Array): ReadFile {
  const entries = readDirectory(bytes)
  let left = MAX_UNPACKED
  return async (name) => {
    const entry = entries.get(name)
    if (entry === undefined) return undefined
    const unpacked = await unpack(bytes, entry, left)
    left -= unpacked.length
    return unpacked
  }
}

const damaged = (cause?: unknown) => new TableError('workbook', 'is damaged: open it, and save it again', { cause })

function readDirectory(bytes: Uint8Array): Map<string, Entry> {
  const view = viewOf(bytes)
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count > MAX_FILES) throw new TableError('workbook', `has more than ${MAX_FILES} files in it`)
  const entries = new Map<string, Entry>()
  try {
    for (let index = 0; index < count; index++) {
      if (view.getUint32(at, true) !== ENTRY) throw damaged()
      const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
        number,
        number,
        number,
      ]
      entries.set(latin1(bytes.subarray(at + 46, at + 46 + name)).toLowerCase(), {
        method: view.getUint16(at + 10, true),
        crc32: view.getUint32(at + 16, true),
        packed: view.getUint32(at + 20, true),
        unpacked: view.getUint32(at + 24, true),
        at: view.getUint32(at + 42, true),
      })
      at += 46 + name + extra + comment
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged(error) : error
  }
  return entries
}

/** Where the end of the directory begins: a comment of up to 65,535 bytes may follow it. */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--)
    if (view.getUint32(at, true) === END) return at
  throw damaged()
}

async function unpack(bytes: Uint8Array, entry: Entry, most: number): Promise<Uint8Array> {
  const tooLarge = () => new TableError('workbook', `has more than ${MAX_UNPACKED / 2 ** 20} MiB unpacked`)
  if (entry.unpacked > most) throw tooLarge()
  const result = new Uint8Array(entry.unpacked)
  let length = 0
  try {
    for await (const chunk of inflated(bytes, entry)) {
      if (length + chunk.length > result.length) throw damaged()
      result.set(chunk, length)
      length += chunk.length
    }
  } catch (error) {
    throw error instanceof TableError ? error : damaged(error)
  }
  if (length !== result.length) throw damaged()
  return result
}

/** Unpacks a file as the member of a gzip (RFC 1952), whose checksum and length the decompressor compares. */
async function* inflated(
  bytes: Uint8Array,
  { method, crc32, packed, unpacked, at }: Entry,
): AsyncGenerator<Uint8Array> {
  const view = viewOf(bytes)
  if (view.getUint32(at, true) !== LOCAL) throw damaged()
  const begin = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const data = bytes.subarray(begin, begin + packed)
  if (![STORED, DEFLATED].includes(method)) throw damaged()
  const trailer = new Uint8Array(8)
  viewOf(trailer).setUint32(0, crc32, true)
  viewOf(trailer).setUint32(4, unpacked, true)
  const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
  const parts = [header, ...(method === STORED ? storedBlocks(data) : [data]), trailer]
  const reader = new Blob(parts as Uint8Array<ArrayBuffer>[])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // What is left is not unpacked.
    reader.cancel().catch(() => {})
  }
}

/** Bytes that are not compressed, as a deflate stream (RFC 1951, 3.2.4). */
function storedBlocks(data: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < data.length; at += 0xffff) {
    const part = data.subarray(at, at + 0xffff)
    const head = Uint8Array.of(0, 0, 0, 0, 0)
    viewOf(head).setUint16(1, part.length, true)
    viewOf(head).setUint16(3, 0xffff ^ part.length, true)
    blocks.push(head, part)
  }
  return [...blocks, Uint8Array.of(1, 0, 0, 0xff, 0xff)]
}
