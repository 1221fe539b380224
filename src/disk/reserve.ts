import { randomFillSync } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** Written at a time: the threads of the pool serve others in between. */
const CHUNK_BYTES = 2 ** 20

/** A file that holds space for when the disk is full. */
export interface Reserve {
  /** The bytes that it holds. */
  size: () => number
  /** Gives its space back at once. */
  release: () => void
  /**
   * Takes the space again, and only where twice as much is free: it would be released again at once.
   * @throws when there is less, or it was released meanwhile; it holds nothing then
   */
  fill: (bytes: number) => Promise<void>
}

export function openReserve(file: string): Reserve {
  let releases = 0

  function release(): void {
    releases++
    rmSync(file, { force: true })
  }

  return {
    size: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    release,
    async fill(bytes) {
      release()
      const before = releases
      try {
        await write(file, bytes, () => releases === before)
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** Random bytes take their room also on file systems that compress, or store equal blocks once. */
async function write(file: string, bytes: number, isWanted: () => boolean): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    for (let written = 0; written < 2 * bytes;) {
      if (!isWanted()) throw new Error('the reserve was released')
      const chunk = randomFillSync(Buffer.alloc(Math.min(CHUNK_BYTES, 2 * bytes - written)))
      written += (await handle.write(chunk)).bytesWritten
    }
    await handle.truncate(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
