import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** Reserved file descriptors, for work that must not fail when the process may open no more files. */
export interface SpareFiles {
  /** Runs `work`; when it finds no free descriptor, releases the reserve, retries, and then fills the reserve again. */
  use: <T>(work: () => T) => T
  close: () => void
}

/** @param count descriptors that the work needs at the same time */
export function keepSpareFiles(count: number): SpareFiles {
  const spare: number[] = []

  function fill(): void {
    try {
      while (spare.length < count) spare.push(openSync(devNull, 'r'))
    } catch {
      // No descriptors are free; the next call of `use` tries again.
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

/** Whether this process (EMFILE) or the system (ENFILE) has too many open files. */
function isTooMany(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
}
