import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives a file that root has created to the owner of its folder: the service may run as that user. */
export function chownLikeFolder(file: string): void {
  if (process.getuid?.() !== 0) return
  try {
    const { uid, gid } = statSync(dirname(file))
    chownSync(file, uid, gid)
  } catch {
    // Not every file system supports owners.
  }
}
