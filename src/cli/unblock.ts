import type { BlockedBy, UnblockResult } from '../abuse/operator.ts'
import { singleArgument } from './arguments.ts'
import { reason, SUBJECT } from './block.ts'
import type { Command } from './command.ts'

export const unblock: Command = {
  name: 'unblock',
  usage: '<code|host|url>',
  summary: 'unblock a code, a host or a URL, or allow a host or URL that is on a list',
  options: { reason },
  async run({ args, flags, call }) {
    const input = { subject: singleArgument(args, SUBJECT), reason: flags['reason'] }
    const result = (await call('unblock', input)) as UnblockResult
    if (result.code !== undefined) return saysOfCode(result)
    const { expression, allowed, reinstated, blockedBy } = result
    const lines = [
      allowed ? `${expression} is allowed although it is on a list` : `${expression} is no longer blocked by you`,
      `${reinstated} ${reinstated === 1 ? 'link is' : 'links are'} unblocked`,
    ]
    if (blockedBy !== null)
      lines.push(`${nameOf(blockedBy)} still blocks it: run "quirl unblock ${expression}" once more to allow it`)
    return lines.join('\n')
  },
}

function saysOfCode({ code, shortUrl }: Extract<UnblockResult, { code: string }>): string {
  const line = `${code} is unblocked`
  if (shortUrl === undefined) return line
  const { expression, blockedBy } = shortUrl
  return `${line}\n${nameOf(blockedBy)} blocks links that name ${expression}: run "quirl unblock ${expression}" once more to allow them`
}

const nameOf = ({ expression, list }: BlockedBy) =>
  list === undefined ? `your rule for ${expression}` : `the list ${list}`
