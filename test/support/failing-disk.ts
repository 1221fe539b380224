import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './cleanup.ts'
import { buildFaults } from './faults.ts'

/** A disk that turns read-only. */
export interface FailingDisk {
  folder: string
  /** Environment variables of the program that uses it. */
  env: Record<string, string>
  /** Makes it read-only until it is mounted again. */
  fail: () => void
  /** Mounts it again, after every program that uses it has ended. */
  mountAgain: () => void
}

const IMAGE_BYTES = 64 << 20

/**
 * Creates an ext4 file system on a loop device that turns read-only at an error, as most installations mount it, if this user
 * may mount one; otherwise returns a folder in which the same calls fail. Undefined if neither is possible: the test is then
 * skipped, or fails in CI.
 */
export function failingDisk(t: TestContext): FailingDisk | undefined {
  const above = temporaryFolder(t)
  const [image, folder] = [join(above, 'image'), join(above, 'disk')]
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  const mount = () => spawnSync('mount', ['-o', 'loop,errors=remount-ro', image, folder], { encoding: 'utf8' })
  const made = spawnSync('mkfs.ext4', ['-q', '-F', image])
  const mounted = made.status === 0 ? mount() : undefined
  if (mounted?.status !== 0) {
    const reason = mounted?.stderr.trim() ?? 'mkfs.ext4 is missing'
    t.diagnostic(`no ext4 file system can be mounted (${reason}): system calls are made to fail`)
    return failingCalls(t, folder)
  }
  const unmount = (...flags: string[]) => execFileSync('umount', [...flags, folder])
  undoLater(t, () => void unmount('--lazy'))
  return {
    folder,
    env: {},
    /** The kernel finds an error in the file system. */
    fail() {
      const line = readFileSync('/proc/self/mounts', 'utf8')
        .split('\n')
        .find((each) => each.includes(` ${folder} `))
      writeFileSync(`/sys/fs/ext4/${basename(line?.split(' ')[0] ?? '')}/trigger_fs_error`, '1')
    },
    mountAgain() {
      unmount()
      const again = mount()
      if (again.status !== 0) throw new Error(again.stderr)
    },
  }
}

function failingCalls(t: TestContext, folder: string): FailingDisk | undefined {
  const faults = buildFaults(t)
  if (faults === undefined) return undefined
  const files = `${folder}/*`
  const fail = () =>
    faults.set({ operation: 'write', error: 'EROFS', files }, { operation: 'create', error: 'EROFS', files })
  return { folder, env: faults.env, fail, mountAgain: faults.clear }
}
