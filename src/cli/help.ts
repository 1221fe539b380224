import { settingsHelp } from '../config/text.ts'
import type { Command } from './command.ts'

/** The text of `quirl --help`. */
export function helpText(commands: readonly Command[]): string {
  const rows = [{ name: 'serve', usage: '', summary: 'serve (also without a word)' }, ...commands]
  return [
    'quirl: short links and dynamic QR codes without an account',
    '',
    'Usage: quirl [command] [flags]',
    '',
    ...rows.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.padEnd(30)} ${summary}`),
    '',
    'Commands ask the service that runs on the same DATA_DIR; "quirl <command> --help" says more.',
    '"restore", "verify", "adopt" and "qr" need none, and "backup" takes what is there.',
    'Each value is taken from its flag, else from the environment variable, else from the file .env:',
    '',
    ...settingsHelp(),
    `  --${'help'.padEnd(29)} this text`,
    `  --${'version'.padEnd(29)} the version`,
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
