import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, readSync, realpathSync, writeSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'

const BLOCK_BYTES = 1 << 20

/** The names in a folder, without the file system's `lost+found`; undefined when the folder does not exist. */
export function listFolder(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => name !== 'lost+found')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether a path is inside a folder after symbolic links are resolved; the path need not exist. */
export function isInside(path: string, folder: string): boolean {
  const inner = relative(realPath(folder), realPath(path))
  return inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner)
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return join(realPath(dirname(path)), basename(path))
  }
}

/** The size of a file, and its SHA-256 in hexadecimal digits. */
export interface Checksum {
  bytes: number
  sha256: string
}

/** Computes the checksum of a file; with `copy`, also copies it to a new file, which is synced when this returns. */
export function checksumOf(file: string, copy?: string): Checksum {
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
