import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'

/**
 * Whether a program that a test needs is on this machine. Without it the test is skipped, aloud; in CI, where every
 * program has been installed, it fails instead.
 */
export function requireProgram(t: TestContext, program: string, debianPackage: string): boolean {
  if (spawnSync('which', [program]).status === 0) return true
  if (process.env['CI'] === 'true') throw new Error(`${program} is missing: apt-get install ${debianPackage}`)
  t.skip(`${program} is not on this machine: apt-get install ${debianPackage}`)
  return false
}
