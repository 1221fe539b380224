import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Reads all files in a folder and its subfolders; skips those that disappear during the call. */
export function filesBelow(folder: string): { name: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    try {
      const file = join(folder, name)
      return statSync(file).isFile() ? [{ name, bytes: readFileSync(file) }] : []
    } catch {
      return []
    }
  })
}
