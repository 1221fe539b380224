import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes survive power loss what was written to a file, or which names a folder has: syncing a file does not sync those. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
