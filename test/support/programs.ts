import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'

/** Skips a test aloud on a machine that lacks what it needs; in CI, which has everything, the test fails instead. */
export function cannotTry(t: TestContext, reason: string): void {
  if (process.env['CI'] === 'true') throw new Error(reason)
  t.skip(reason)
}

/**
 * Whether a program that a test needs is on this machine. Without it the test is skipped, aloud; in CI, where every
 * program has been installed, it fails instead.
 */
export function requireProgram(t: TestContext, program: string, debianPackage: string): boolean {
  if (spawnSync('which', [program]).status === 0) return true
  cannotTry(t, `${program} is not on this machine: apt-get install ${debianPackage}`)
  return false
}
