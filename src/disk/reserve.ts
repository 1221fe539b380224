import { randomFillSync } from 'node:crypto'
import { ftruncateSync, rmSync, statSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { leastOf } from './room.ts'

/** Written at a time: the threads of the pool serve others in between. */
const CHUNK_BYTES = 2 ** 20

/** A file that holds space for when the disk is full. */
export interface Reserve {
  /** The bytes that it holds; 0 while it is being written. */
  size: () => number
  /** The same, with those that are written so far. */
  taken: () => number
  /** Gives its space back at once. */
  release: () => void
  /**
   * Takes the space again, and only where more is free than makes the disk full: it would be released again at once.
   * @throws when there is less, or it was released meanwhile; it holds nothing then
   */
  fill: (bytes: number) => Promise<void>
  /** Ends the writing, which the end of a process would wait for; the next one begins it anew. */
  stop: () => void
}

export function openReserve(file: string): Reserve {
  let releases = 0
  /** The file while it is being written. */
  let writing: FileHandle | undefined

  function release(): void {
    releases++
    // The room of an open file comes back when that is closed, which may be too late for who needs it now.
    if (writing !== undefined) ftruncateSync(writing.fd, 0)
    rmSync(file, { force: true })
  }

  const taken = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return {
    size: () => (writing === undefined ? taken() : 0),
    taken,
    release,
    stop: () => void (writing !== undefined && release()),
    async fill(bytes) {
      release()
      const before = releases
      const handle = await open(file, 'wx', 0o600)
      writing = handle
      try {
        await write(handle, bytes, () => releases === before)
      } catch (error) {
        // Once it was released the file may be that of the next process.
        if (releases === before) release()
        throw error
      } finally {
        writing = undefined
        await handle.close()
      }
      if (releases !== before) throw new Error('the reserve was released')
    },
  }
}

/** Random bytes take their room also on file systems that compress, or store equal blocks once. */
async function write(handle: FileHandle, bytes: number, isWanted: () => boolean): Promise<void> {
  const most = bytes + leastOf(bytes)
  for (let written = 0; written < most;) {
    if (!isWanted()) return
    const chunk = randomFillSync(Buffer.alloc(Math.min(CHUNK_BYTES, most - written)))
    written += (await handle.write(chunk)).bytesWritten
  }
  await handle.truncate(bytes)
  await handle.datasync()
}
