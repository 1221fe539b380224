// Runs the tests beside the code in one process, because starting one per file takes longer than most of them.
import { globSync } from 'node:fs'

const own = new URL(import.meta.url).pathname
for (const file of globSync(new URL('**/*.test.ts', import.meta.url).pathname).sort()) {
  if (file !== own) await import(file)
}
