import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/** Skips a test with a message if the machine lacks a requirement; in CI, which meets all, the test fails instead. */
export function skipUnlessCi(t: TestContext, reason: string): void {
  if (process.env['CI'] === 'true') throw new Error(reason)
  t.skip(reason)
}

/**
 * Whether a program that a test needs is installed. If not, the test is skipped with a message; in CI, where every
 * program is installed, it fails instead.
 */
export function requireProgram(t: TestContext, program: string, debianPackage: string): boolean {
  if (isInstalled(program)) return true
  skipUnlessCi(t, `${program} is not on this machine: apt-get install ${debianPackage}`)
  return false
}

/** Searches `PATH` itself: starting `which` from a process with much memory takes 50 ms. */
function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
