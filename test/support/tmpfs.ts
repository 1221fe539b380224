import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './cleanup.ts'

/**
 * A file system of a few bytes of its own, in which a disk is really full. Where none can be mounted the test is skipped,
 * aloud; in CI, where there is root, that is a failure.
 */
export function smallDisk(t: TestContext, kibibytes: number): string | undefined {
  const folder = temporaryFolder(t)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder])
  if (status === 0) {
    undoLater(t, () => void spawnSync('umount', [folder]))
    return folder
  }
  if (process.env['CI'] === 'true') throw new Error('a tmpfs cannot be mounted here')
  t.skip('a tmpfs cannot be mounted here: run the tests as root')
  return undefined
}
