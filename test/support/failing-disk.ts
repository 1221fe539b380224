import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './cleanup.ts'

/** An ext4 file system of its own, on a loop device. */
export interface Ext4Disk {
  folder: string
  /** Makes the kernel find an error in the file system, which turns it read-only until it is mounted again. */
  fail: () => void
  /** Mounts it again, after every program that uses it has ended. */
  mountAgain: () => void
}

const IMAGE_BYTES = 64 << 20

/**
 * Creates an ext4 file system that turns read-only at an error, as most installations mount it. Where this user may mount
 * none, as in a container, the test is skipped: calls that are made to fail stand for it.
 */
export function ext4Disk(t: TestContext): Ext4Disk | undefined {
  const above = temporaryFolder(t)
  const [image, folder] = [join(above, 'image'), join(above, 'disk')]
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  const made = spawnSync('mkfs.ext4', ['-q', '-F', image])
  const mount = () => spawnSync('mount', ['-o', 'loop,errors=remount-ro', image, folder], { encoding: 'utf8' })
  const mounted = made.status === 0 ? mount() : undefined
  if (mounted?.status !== 0) {
    t.skip(`no ext4 file system can be mounted here: ${mounted?.stderr ?? 'mkfs.ext4 is missing'}`)
    return undefined
  }
  const unmount = (...flags: string[]) => execFileSync('umount', [...flags, folder])
  undoLater(t, () => void unmount('--lazy'))
  return {
    folder,
    fail() {
      const line = readFileSync('/proc/self/mounts', 'utf8')
        .split('\n')
        .find((each) => each.includes(` ${folder} `))
      writeFileSync(`/sys/fs/ext4/${basename(line?.split(' ')[0] ?? '')}/trigger_fs_error`, '1')
    },
    mountAgain() {
      unmount()
      const { status, stderr } = mount()
      if (status !== 0) throw new Error(stderr)
    },
  }
}
