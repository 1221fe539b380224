import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/** What compressed files may hold. */
const MAX_BYTES = 2 ** 31

/**
 * Unpacks a file that is compressed by gzip, whatever it is called.
 * @param to what is written then; nothing is left of what fails
 * @returns where the file is that is to be read: `to`, or the file itself, which is not compressed
 * @throws when it is damaged, or larger than half of what is free on the disk, which visits need as well
 */
export async function unpack(file: string, to: string, freeBytes = freeOn): Promise<string> {
  if ((await startOf(file, 0, 2)) !== '1f8b') return requireNoArchive(file)
  const max = Math.min(MAX_BYTES, (await freeBytes(dirname(to))) / 2)
  let bytes = 0
  const bound = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      const fault = max < MAX_BYTES ? 'it is larger than half of what is free on the disk' : 'it is larger than 2 GiB'
      done(bytes > max ? new Error(fault) : null, chunk)
    },
  })
  try {
    await pipeline(createReadStream(file), createGunzip(), bound, createWriteStream(to))
    return await requireNoArchive(to)
  } catch (error) {
    await rm(to, { force: true })
    throw error
  }
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Publishers offer archives beside the files; the word stands where each of their entries begins. */
async function requireNoArchive(file: string): Promise<string> {
  if ((await startOf(file, 257, 5)) === Buffer.from('ustar').toString('hex')) {
    throw new Error('it is a tar archive: name the .mmdb that is in it')
  }
  return file
}

/** Bytes near the start of a file, in hexadecimal digits. */
async function startOf(file: string, at: number, length: number): Promise<string> {
  const opened = await open(file)
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, at)
    return buffer.toString('hex', 0, bytesRead)
  } finally {
    await opened.close()
  }
}
