import { Readable } from 'node:stream'
import { makeZip } from 'client-zip'

/** A file of an archive. */
export interface ZippedFile {
  name: string
  input: string | Uint8Array | AsyncIterable<string>
  lastModified: Date
}

/** Streams files as a ZIP without compression. Each is read once the client has read those before it. */
export function zipOf(files: Iterable<ZippedFile> | AsyncIterable<ZippedFile>): Readable {
  return Readable.fromWeb(makeZip(files) as Parameters<typeof Readable.fromWeb>[0], { highWaterMark: 1 })
}
