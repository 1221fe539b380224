import { flagOf, settings } from './config.ts'

/** The settings as `quirl --help` lists them, a line each. */
export function settingsHelp(): string[] {
  return Object.values(settings).map((row) => {
    const fallback = row.fallback === undefined ? '' : ` [${row.fallback}]`
    return `  --${flagOf(row.name).padEnd(14)} ${row.name.padEnd(14)} ${row.doc.replaceAll('`', '')}${fallback}`
  })
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
    'Every value has a default, so nothing is required. Each is taken from its flag, else from the environment variable,',
    'else from the file `.env` in the working folder. An empty value counts as unset. A value that is not allowed stops',
    'the start with a line that says why.',
    '',
    '| variable | flag | default | meaning | allowed |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
