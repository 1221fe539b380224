import { StartError } from '../lib/start-error.ts'
import type { DomainReport } from '../domains/operator.ts'
import { oneWord } from './block.ts'
import type { Command } from './command.ts'
import { minuteOf, oneLine, table } from './table.ts'

export const domains: Command = {
  name: 'domains',
  usage: '[check|remove <domain>]',
  summary: 'list the custom domains; look one up in DNS now, or remove it',
  async run(call) {
    const [verb, ...words] = call.words
    if (verb === undefined) return list(call)
    const name = oneWord({ ...call, words }, 'domain')
    if (verb === 'check') return sentence((await call.ask('check-domain', { name })) as DomainReport)
    if (verb === 'remove') return `${((await call.ask('remove-domain', { name })) as DomainReport).name} is removed`
    throw new StartError(`"quirl domains" has no "${verb}": it lists, or takes "check" or "remove" and a domain`)
  },
}

const list: Command['run'] = async ({ ask }) => {
  const { domains: found } = (await ask('domains')) as { domains: DomainReport[] }
  if (found.length === 0) return 'no domain is registered'
  const rows = found.map(({ name, status, since, checked_at: checked, fault }) => [
    name,
    status,
    minuteOf(since),
    checked === null ? 'never' : minuteOf(checked),
    fault === null ? 'none' : oneLine(fault),
  ])
  return table([['DOMAIN', 'STATUS', 'SINCE (UTC)', 'CHECKED (UTC)', 'FAULT'], ...rows])
}

function sentence({ name, status, fault }: DomainReport): string {
  return `${name} is ${status}${fault === null ? '' : `: ${oneLine(fault)}`}`
}
