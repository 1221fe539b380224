import { execFileSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './cleanup.ts'
import { requireProgram } from './programs.ts'

/** The time of day of a program, as its operator sets it; how long something takes is not changed by it. */
export interface WallClock {
  /** What the program needs in its environment. */
  env: Record<string, string>
  set: (time: string) => void
}

/** Undefined where libfaketime is missing: the test is skipped then, or fails in CI. */
export function wallClock(t: TestContext, time: string): WallClock | undefined {
  if (!requireProgram(t, 'faketime', 'faketime')) return undefined
  const library = execFileSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim()
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
