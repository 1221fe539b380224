import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives a file that a command of root has made to whom its folder belongs: the service may run as that user. */
export function giveToOwner(file: string): void {
  if (process.getuid?.() !== 0) return
  try {
    const { uid, gid } = statSync(dirname(file))
    chownSync(file, uid, gid)
  } catch {
    // Not every file system has owners.
  }
}
