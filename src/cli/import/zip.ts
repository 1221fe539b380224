import { statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'

/** What an archive may have; checked before anything is unpacked. */
export interface ZipBounds {
  /** Bytes of the file. */
  bytes: number
  /** Files in it. */
  entries: number
  /** Unpacked bytes of a file by its name; undefined for one that the archive must not have. */
  unpackedOf: (name: string) => number | undefined
}

/** A file in an archive. */
export interface ZipEntry {
  name: string
  /** Unpacked bytes; `read` fails when there are others. */
  size: number
  crc32: number
  /** @throws {Error} when the file is damaged */
  read: () => AsyncIterable<Buffer>
}

/** An archive whose files can be read in any order, again and again, until it is closed. */
export interface Zip {
  entries: ZipEntry[]
  close: () => void
}

/** Opens an archive. @throws {Error} when it is none, is damaged, or has more than the bounds allow */
export async function openZip(file: string, { bytes, entries: most, unpackedOf }: ZipBounds): Promise<Zip> {
  const { size } = statSync(file)
  if (size > bytes) throw new Error(`it has ${size} bytes, and ${bytes} are the most`)
  const zip = await openPromise(file, { autoClose: false, strictFileNames: true })
  try {
    if (zip.entryCount > most) throw new Error(`it has ${zip.entryCount} files, and ${most} are the most`)
    const entries: ZipEntry[] = []
    for await (const entry of zip.eachEntry()) {
      const { fileName: name, uncompressedSize } = entry
      const bound = unpackedOf(name)
      if (bound === undefined) throw new Error(`it has a file ${JSON.stringify(name).slice(0, 100)}`)
      if (entries.some((earlier) => earlier.name === name)) throw new Error(`it has two files ${name}`)
      if (uncompressedSize > bound)
        throw new Error(`${name} would have ${uncompressedSize} bytes, and ${bound} are the most`)
      entries.push({ name, size: uncompressedSize, crc32: entry.crc32, read: () => readEntry(zip, entry) })
    }
    return { entries, close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** The stream ends with an error after as many bytes as the entry says; here, the checksum is compared as well. */
async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const name = entry.fileName
  let sum = 0
  try {
    const stream: Readable = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
  if (sum !== entry.crc32) throw new Error(`${name} is damaged: its checksum differs`)
}
