import { spawnSync } from 'node:child_process'
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
  if (spawnSync('which', [program]).status === 0) return true
  skipUnlessCi(t, `${program} is not on this machine: apt-get install ${debianPackage}`)
  return false
}
