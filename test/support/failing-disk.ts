import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './cleanup.ts'
import { buildFaults } from './faults.ts'
import { poll } from './poll.ts'

/** A disk that turns read-only. */
export interface FailingDisk {
  folder: string
  /** Environment variables of the program that uses it. */
  env: Record<string, string>
  /** Makes it read-only until it is mounted again. */
  fail: () => void
  /** Mounts it again, after every program that uses it has ended. */
  mountAgain: () => Promise<void>
}

/** A disk that has room for bytes, and can be filled with so many files that there is none for another. */
export interface DiskOfFewFiles {
  folder: string
  /** Environment variables of the program that uses it. */
  env: Record<string, string>
  /** Creates files until no other can be created. */
  fill: () => void
  free: () => void
}

const IMAGE_BYTES = 64 << 20
const FEW_FILES = 128

/** An ext4 file system on a loop device. */
interface Ext4 {
  folder: string
  mount: () => void
  unmount: () => void
}

/** @returns undefined if this user may not mount one */
function mountExt4(t: TestContext, made: string[], options: string): Ext4 | undefined {
  const above = temporaryFolder(t)
  const [image, folder] = [join(above, 'image'), join(above, 'disk')]
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  const mount = () => spawnSync('mount', ['-o', options, image, folder], { encoding: 'utf8' })
  const isMade = spawnSync('mkfs.ext4', ['-q', '-F', ...made, image]).status === 0
  const mounted = isMade ? mount() : undefined
  if (mounted?.status !== 0) {
    const reason = mounted?.stderr.trim() ?? 'mkfs.ext4 is missing'
    t.diagnostic(`no ext4 file system can be mounted (${reason}): system calls are made to fail`)
    return undefined
  }
  const unmount = (...flags: string[]) => void execFileSync('umount', [...flags, folder])
  undoLater(t, () => unmount('--lazy'))
  return {
    folder,
    mount() {
      const again = mount()
      if (again.status !== 0) throw new Error(again.stderr)
    },
    unmount,
  }
}

/**
 * Creates an ext4 file system on a loop device that turns read-only at an error, as most installations mount it, if this user
 * may mount one; otherwise returns a folder in which the same calls fail. Undefined if neither is possible: the test is then
 * skipped, or fails in CI.
 */
export function failingDisk(t: TestContext): FailingDisk | undefined {
  const ext4 = mountExt4(t, [], 'loop,errors=remount-ro')
  if (ext4 === undefined) return failingCalls(t, temporaryFolder(t))
  const { folder, mount, unmount } = ext4
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
    async mountAgain() {
      // Whoever has copied the namespace of mounts meanwhile, as containers do, keeps it mounted as it was.
      await poll(() => {
        unmount()
        mount()
        return isWritable(folder)
      })
    },
  }
}

/** An error in the file system may leave no other trace than that nothing can be written. */
function isWritable(folder: string): boolean {
  const probe = join(folder, 'probe')
  try {
    writeFileSync(probe, '')
    rmSync(probe)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS') return false
    throw error
  }
}

/** Creates an ext4 file system of few inodes; otherwise as `failingDisk`. */
export function diskOfFewFiles(t: TestContext): DiskOfFewFiles | undefined {
  const ext4 = mountExt4(t, ['-N', String(FEW_FILES)], 'loop')
  if (ext4 === undefined) return withoutNewFiles(t, temporaryFolder(t))
  const { folder } = ext4
  const ballast = join(folder, 'ballast')
  mkdirSync(ballast)
  return {
    folder,
    env: {},
    fill() {
      for (let at = 0; ; at++) {
        try {
          writeFileSync(join(ballast, `${performance.now()}-${at}`), '')
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
          throw error
        }
      }
    },
    free: () => rmSync(ballast, { recursive: true }),
  }
}

function withoutNewFiles(t: TestContext, folder: string): DiskOfFewFiles | undefined {
  const faults = buildFaults(t)
  if (faults === undefined) return undefined
  const fill = () => faults.set({ operation: 'new', error: 'ENOSPC', files: `${folder}/*` })
  return { folder, env: faults.env, fill, free: faults.clear }
}

function failingCalls(t: TestContext, folder: string): FailingDisk | undefined {
  const faults = buildFaults(t)
  if (faults === undefined) return undefined
  const files = `${folder}/*`
  const fail = () =>
    faults.set({ operation: 'write', error: 'EROFS', files }, { operation: 'create', error: 'EROFS', files })
  return { folder, env: faults.env, fail, mountAgain: async () => faults.clear() }
}
