import { settingsHelp } from '../config/text.ts'
import type { Command } from './command.ts'

type Row = Pick<Command, 'name' | 'usage' | 'summary'>

/** Commands under a title. */
export interface Group {
  title: string
  commands: readonly Command[]
}

const serve: Row = { name: 'serve', usage: '', summary: 'run the service (the default)' }

/** The text of `quirl --help`. */
export function helpText(groups: readonly Group[]): string {
  return [
    'quirl: short links and dynamic QR codes without an account',
    '',
    'Usage: quirl [command] [flags]',
    '',
    lineOf(serve),
    '',
    ...groups.flatMap(({ title, commands }) => [`${title}:`, ...commands.map(lineOf), '']),
    'See also "quirl <command> --help".',
    'Settings: flags take precedence over environment variables, which take precedence over the file .env:',
    '',
    ...settingsHelp(),
    `  --${'help'.padEnd(29)} print this text`,
    `  --${'version'.padEnd(29)} print the version`,
    '',
  ].join('\n')
}

function lineOf({ name, usage, summary }: Row): string {
  return `  ${`${name} ${usage}`.padEnd(30)} ${summary}`
}

/** The text of `quirl <command> --help`. */
export function commandHelp({ name, usage, summary, verbs = [], options = {} }: Command): string {
  const rows = Object.entries(options).map(
    ([flag, { type, doc }]) => `  --${(type === 'string' ? `${flag}=…` : flag).padEnd(16)} ${doc}`,
  )
  const words = verbs.length === 0 ? [] : ['', ...verbs.map(lineOf)]
  const flags = rows.length === 0 ? [] : ['', ...rows]
  return [`quirl ${`${name} ${usage}`.trim()}: ${summary}`, ...words, ...flags, ''].join('\n')
}
