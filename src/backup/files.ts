import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, readSync, realpathSync, writeSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'

const BLOCK_BYTES = 1 << 20

/** What is in a folder; a file system's own folder for lost files does not count. Undefined where there is none. */
export function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => name !== 'lost+found')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether a path lies below a folder, wherever links lead; what is not there yet lies where it would be made. */
export function liesBelow(path: string, folder: string): boolean {
  const way = relative(realPath(folder), realPath(path))
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return join(realPath(dirname(path)), basename(path))
  }
}

/** The size of a file in bytes, and its SHA-256 in hexadecimal digits. */
export interface Sum {
  bytes: number
  sha256: string
}

/** Reads a file, and copies it, where a new file is named; the copy is on the disk when this returns. */
export function sumOf(file: string, copy?: string): Sum {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  const source = openSync(file, 'r')
  const target = copy === undefined ? undefined : openSync(copy, 'wx', 0o600)
  try {
    let bytes = 0
    for (let read = 0; (read = readSync(source, block)) > 0; bytes += read) {
      const part = block.subarray(0, read)
      hash.update(part)
      if (target === undefined) continue
      for (let written = 0; written < read;) written += writeSync(target, part, written)
    }
    if (target !== undefined) fsyncSync(target)
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    closeSync(source)
    if (target !== undefined) closeSync(target)
  }
}
