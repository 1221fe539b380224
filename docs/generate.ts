// Writes the pages that are made from the program's own tables.
import { writeFileSync } from 'node:fs'
import { configurationPage } from '../src/config/text.ts'

writeFileSync(new URL('configuration.md', import.meta.url), configurationPage())
