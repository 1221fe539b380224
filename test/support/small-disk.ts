import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './cleanup.ts'
import { buildFaults } from './faults.ts'

/** A disk that a test can fill. */
export interface SmallDisk {
  folder: string
  /** Environment variables of the program that uses it. */
  env: Record<string, string>
  fill: () => void
  /** Fills it but for so many bytes; absent where writes only fail, and the free space is that of another disk. */
  fillBut?: (bytes: number) => void
  free: () => void
}

/**
 * Mounts a small file system in memory if this user may; otherwise returns a folder in which writes can be made to
 * fail. Undefined if neither is possible: the test is then skipped, or fails in CI.
 */
export function smallDisk(t: TestContext, bytes: number): SmallDisk | undefined {
  const folder = temporaryFolder(t)
  const options = ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'quirl-test', folder]
  const mounted = process.platform === 'linux' && spawnSync('mount', options, { encoding: 'utf8' })
  if (mounted && mounted.status === 0) {
    undoLater(t, () => void execFileSync('umount', ['--lazy', folder]))
    const ballast = join(folder, 'ballast')
    return {
      folder,
      env: {},
      fill: () => assertFull(() => writeFileSync(ballast, Buffer.alloc(bytes))),
      fillBut(left) {
        const { bavail, bsize } = statfsSync(folder)
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)))
      },
      free: () => rmSync(ballast),
    }
  }
  t.diagnostic(`no file system can be mounted (${mounted && mounted.stderr.trim()}): system calls are made to fail`)
  const faults = buildFaults(t)
  return (
    faults && {
      folder,
      env: faults.env,
      fill: () => faults.set({ operation: 'write', error: 'ENOSPC', files: `${folder}/*` }),
      free: faults.clear,
    }
  )
}

function assertFull(work: () => void): void {
  try {
    work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
    throw error
  }
  throw new Error('the disk did not become full')
}
