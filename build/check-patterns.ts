// Proves that each regular expression of the program takes linear time. Part of `npm run check`.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { allowed } from './patterns/allowed.ts'
import { checkPatterns } from './patterns/check.ts'

// The JavaScript build of the analyser, instead of the binaries of some platforms.
process.env['RECHECK_BACKEND'] = 'pure'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(path, 'utf8')
const files = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/*.d.ts'] }).toSorted()
const faults = checkPatterns(
  files.map((file) => ({ file, code: read(root + file) })),
  allowed,
  read,
  root,
)
for (const fault of faults) console.error(fault)
console.log(`Checked the regular expressions of ${files.length} files: ${faults.length} faults.`)
process.exitCode = faults.length > 0 ? 1 : 0
