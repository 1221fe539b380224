import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Every file in a folder and below it, as it is on the disk now; those that go meanwhile are left out. */
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
