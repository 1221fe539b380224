// Writes the pages that are generated from the program's tables.
import { writeFileSync } from 'node:fs'
import { configurationPage } from '../src/config/text.ts'

writeFileSync(new URL('configuration.md', import.meta.url), configurationPage())
