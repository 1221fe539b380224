import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { spaceOf } from '../disk/space.ts'

/** The largest unpacked file. */
const MAX_BYTES = 2 ** 31

/**
 * Unpacks a file if it is compressed by gzip, whatever its name.
 * @param to the path of the unpacked file; it is removed after an error
 * @returns `to`, or the file itself when it is not compressed
 * @throws when the file is damaged, or would take more than half of the free disk space, which visits need too
 */
export async function unpack(file: string, to: string, freeBytes = freeOn): Promise<string> {
  if ((await hexAt(file, 0, 2)) !== '1f8b') return requireNoArchive(file)
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
  return spaceOf(await statfs(folder)).free
}

/** Publishers also offer tar archives, whose entries have `ustar` at byte 257. */
async function requireNoArchive(file: string): Promise<string> {
  if ((await hexAt(file, 257, 5)) === Buffer.from('ustar').toString('hex')) {
    throw new Error('it is a tar archive: name the .mmdb file inside')
  }
  return file
}

/** Bytes of a file, in hexadecimal digits. */
async function hexAt(file: string, at: number, length: number): Promise<string> {
  const opened = await open(file)
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, at)
    return buffer.toString('hex', 0, bytesRead)
  } finally {
    await opened.close()
  }
}
