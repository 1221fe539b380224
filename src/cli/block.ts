import { StartError } from '../lib/start-error.ts'
import type { Call, Command } from './command.ts'

/** Why, in the operator's words. */
export const reason = { type: 'string', doc: 'what the owner and the audit are told' } as const

export const block: Command = {
  name: 'block',
  usage: '<code|host|url>',
  summary: 'remove a code, or every link to a host or URL, now and from now on',
  options: { reason, legal: { type: 'boolean', doc: 'by legal order: visits answer 451 instead of 410' } },
  async run(call) {
    const input = { subject: oneWord(call), reason: call.flags['reason'], legal: call.flags['legal'] === true }
    const { code, entry } = (await call.ask('block', input)) as { code?: string; entry?: string }
    if (code !== undefined) return `${code} is removed`
    return `${entry} is blocked: no new link may lead there, and those that do are being removed`
  },
}

/** The one word that a command is about. */
export function oneWord({ words }: Call, what = 'code, host or URL'): string {
  const [word, ...more] = words
  if (word !== undefined && more.length === 0) return word
  throw new StartError(`name one ${what}; "quirl <command> --help" says more`)
}
