// Runs the tests beside the code in one process, because starting one per file takes longer than most of them.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

for (const file of globSync('**/*.test.ts', { cwd: import.meta.dirname }).sort()) {
  const path = join(import.meta.dirname, file)
  if (path !== import.meta.filename) await import(pathToFileURL(path).href)
}
