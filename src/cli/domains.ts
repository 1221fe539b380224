import { StartError } from '../lib/start-error.ts'
import type { DomainReport, RefusedReport } from '../domains/operator.ts'
import { oneWord } from './block.ts'
import type { Command } from './command.ts'
import { minuteOf, oneLine, table } from './table.ts'

export const domains: Command = {
  name: 'domains',
  usage: '[check|remove|refuse|allow <domain>]',
  summary: 'list the custom domains; look one up in DNS now, remove it, keep a name for yourself, or allow it again',
  async run(call) {
    const [verb, ...words] = call.words
    if (verb === undefined) return list(call)
    const name = oneWord({ ...call, words }, 'domain')
    if (verb === 'check') return sentence((await call.ask('check-domain', { name })) as DomainReport)
    if (verb === 'remove') return `${((await call.ask('remove-domain', { name })) as DomainReport).name} is removed`
    if (verb === 'refuse') return `${await named(call, 'refuse-domain', name)} and names under it cannot be registered`
    if (verb === 'allow') return `${await named(call, 'allow-domain', name)} can be registered again`
    const verbs = '"check", "remove", "refuse" or "allow"'
    throw new StartError(`"quirl domains" has no "${verb}": it lists, or takes ${verbs} and a domain`)
  },
}

const list: Command['run'] = async ({ ask }) => {
  const { domains: found, refused } = (await ask('domains')) as { domains: DomainReport[]; refused: RefusedReport[] }
  if (found.length + refused.length === 0) return 'no domain is registered'
  const rows = found.map(({ name, status, since, checked_at: checked, fault }) => [
    name,
    status,
    minuteOf(since),
    checked === null ? 'never' : minuteOf(checked),
    fault === null ? 'none' : oneLine(fault),
  ])
  return table([
    ['DOMAIN', 'STATUS', 'SINCE (UTC)', 'CHECKED (UTC)', 'FAULT'],
    ...rows,
    ...refused.map(({ name, since }) => [name, 'refused', minuteOf(since), '-', 'none']),
  ])
}

async function named({ ask }: Parameters<Command['run']>[0], operation: string, name: string): Promise<string> {
  return ((await ask(operation, { name })) as { name: string }).name
}

function sentence({ name, status, fault }: DomainReport): string {
  return `${name} is ${status}${fault === null ? '' : `: ${oneLine(fault)}`}`
}
