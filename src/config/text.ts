import { settings } from './config.ts'
import { flagOf } from './sources.ts'

/** The lines of `quirl --help` about settings, one for each. */
export function settingsHelp(): string[] {
  return Object.values(settings).map((row) => {
    const fallback = row.fallback === undefined ? '' : ` [${row.fallback}]`
    return `  --${flagOf(row.name).padEnd(14)} ${row.name.padEnd(14)} ${plain(row.doc)}${fallback}`
  })
}

/** A text without the marks and links of Markdown. */
function plain(markdown: string): string {
  return markdown.replace(/ \(\[[^\]()]*\]\([^()]*\)\)|`/g, '')
}

/** The text of `docs/configuration.md`. */
export function configurationPage(): string {
  const rows = Object.values(settings).map((row) => {
    const fallback = row.fallback === undefined ? 'unset' : `\`${row.fallback}\``
    return `| \`${row.name}\` | \`--${flagOf(row.name)}\` | ${fallback} | ${row.doc} | ${row.allowed} |`
  })
  return [
    '# Configuration',
    '',
    '<!-- Generated from src/config/config.ts by "npm run docs". -->',
    '',
    'No setting is required: each has a default. The flag takes precedence over the environment variable, which takes',
    'precedence over the file `.env` in the working folder. An empty value counts as unset. With an invalid value the',
    'service does not start, and prints one line with the reason. `quirl config check` shows each value, where',
    'it comes from, and every one that is not allowed.',
    '',
    '| variable | flag | default | meaning | allowed |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
