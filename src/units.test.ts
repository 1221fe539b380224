// The tests that stand beside their code, in one process: to start one for each file takes longer than most of them do.
import { globSync } from 'node:fs'

const own = new URL(import.meta.url).pathname
for (const file of globSync(new URL('**/*.test.ts', import.meta.url).pathname).sort()) {
  if (file !== own) await import(file)
}
