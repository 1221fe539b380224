import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** Files that are open for nothing, so that work which must not fail can open others when the process may open no more. */
export interface SpareFiles {
  /** Does `work` again without the spare ones when there were too few for it, and then opens them again as far as possible. */
  use: <T>(work: () => T) => T
  close: () => void
}

/** @param count as many as the work opens at the same time */
export function keepSpareFiles(count: number): SpareFiles {
  const spare: number[] = []

  function fill(): void {
    try {
      while (spare.length < count) spare.push(openSync(devNull, 'r'))
    } catch {
      // There are none left; the next work tries again.
    }
  }

  function close(): void {
    for (const file of spare.splice(0)) closeSync(file)
  }

  fill()
  return {
    use(work) {
      try {
        return work()
      } catch (error) {
        if (!isTooMany(error)) throw error
        close()
        return work()
      } finally {
        fill()
      }
    },
    close,
  }
}

/** Of this process (EMFILE), or of the whole system (ENFILE). */
function isTooMany(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
}
