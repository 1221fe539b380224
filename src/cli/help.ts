import { settingsHelp } from '../config/text.ts'
import type { Command } from './command.ts'

/** The text of `quirl --help`. */
export function helpText(commands: readonly Command[]): string {
  const rows = [{ name: 'serve', usage: '', summary: 'run the service (the default)' }, ...commands]
  return [
    'quirl: short links and dynamic QR codes without an account',
    '',
    'Usage: quirl [command] [flags]',
    '',
    ...rows.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.padEnd(30)} ${summary}`),
    '',
    'Commands talk to the service that runs on the same DATA_DIR; see also "quirl <command> --help".',
    '"restore", "verify", "adopt" and "qr" need no running service, and "backup" works with or without one.',
    'Settings: flags take precedence over environment variables, which take precedence over the file .env:',
    '',
    ...settingsHelp(),
    `  --${'help'.padEnd(29)} print this text`,
    `  --${'version'.padEnd(29)} print the version`,
    '',
  ].join('\n')
}

/** The text of `quirl <command> --help`. */
export function commandHelp({ name, usage, summary, options = {} }: Command): string {
  const rows = Object.entries(options).map(
    ([flag, { type, doc }]) => `  --${(type === 'string' ? `${flag}=…` : flag).padEnd(16)} ${doc}`,
  )
  const flags = rows.length === 0 ? [] : ['', ...rows]
  return [`quirl ${`${name} ${usage}`.trim()}: ${summary}`, ...flags, ''].join('\n')
}
