import { execFileSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './cleanup.ts'
import { requireProgram } from './programs.ts'

/** The system time of a program, as an operator sets it; the monotonic clock does not change. */
export interface WallClock {
  /** Environment variables of the program. */
  env: Record<string, string>
  set: (time: string) => void
}

/** Undefined if libfaketime is not installed: the test is then skipped, or fails in CI. */
export function wallClock(t: TestContext, time: string): WallClock | undefined {
  if (!requireProgram(t, 'faketime', 'faketime')) return undefined
  const library = findLibrary()
  const file = join(temporaryFolder(t), 'offset')
  const set = (wanted: string) => {
    const seconds = Math.round((Date.parse(wanted) - Date.now()) / 1000)
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
    renameSync(`${file}.new`, file)
  }
  set(time)
  const options = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
  return { env: { LD_PRELOAD: library, ...options }, set }
}

/** Tries again with another process: faketime names a semaphore by its pid, and killed programs have left some. */
function findLibrary(tries = 5): string {
  try {
    return execFileSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim()
  } catch (error) {
    if (tries === 1) throw error
    return findLibrary(tries - 1)
  }
}
