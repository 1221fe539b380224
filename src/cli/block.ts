import type { BlockResult } from '../abuse/operator.ts'
import { singleArgument } from './arguments.ts'
import type { Command } from './command.ts'

/** The reason that an operator gives for a block or its removal. */
export const reason = { type: 'string', doc: 'the reason, for the owner and the audit log' } as const

/** What `quirl block` and `quirl unblock` take. */
export const SUBJECT = 'code, host or URL'

export const block: Command = {
  name: 'block',
  usage: '<code|host|url>',
  summary: 'block a code, or a host or URL: existing links to it are blocked, new ones refused',
  options: { reason, legal: { type: 'boolean', doc: 'following a legal order: visits answer 451 instead of 410' } },
  async run({ args, flags, call }) {
    const subject = singleArgument(args, SUBJECT)
    const input = { subject, reason: flags['reason'], legal: flags['legal'] === true }
    const { code, expression, alsoCode } = (await call('block', input)) as BlockResult
    if (code !== undefined) return `${code} is blocked`
    const lines = [`${expression} is blocked: new links to it are refused, and existing ones are being blocked`]
    if (alsoCode !== undefined)
      lines.push(`the link ${alsoCode} is not: if ${expression} is its short URL, run "quirl block ${alsoCode}" too`)
    return lines.join('\n')
  },
}
