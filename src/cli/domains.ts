import { StartError } from '../lib/start-error.ts'
import type { DomainRow, DomainsResult } from '../domains/operator.ts'
import { singleArgument } from './arguments.ts'
import type { Command, CommandContext } from './command.ts'
import { formatTime, toSingleLine, formatTable } from './table.ts'

export const domains: Command = {
  name: 'domains',
  usage: '[check|remove|refuse|allow <domain>]',
  summary: 'list the custom domains; check the DNS of one now, remove it, refuse a name, or allow it again',
  async run(context) {
    const [verb, ...args] = context.args
    if (verb === undefined) return list(context)
    const name = singleArgument(args, 'domain')
    if (verb === 'check') return describe((await context.call('check-domain', { name })) as DomainRow)
    if (verb === 'remove') return `${((await context.call('remove-domain', { name })) as DomainRow).name} is removed`
    if (verb === 'refuse')
      return `${await callWithName(context, 'refuse-domain', name)} and names under it cannot be registered`
    if (verb === 'allow') return `${await callWithName(context, 'allow-domain', name)} can be registered again`
    const verbs = '"check", "remove", "refuse" or "allow"'
    throw new StartError(`"quirl domains" has no "${verb}": give ${verbs} and a domain, or nothing to list`)
  },
}

const list: Command['run'] = async ({ call }) => {
  const { domains: found, refused } = (await call('domains')) as DomainsResult
  if (found.length + refused.length === 0) return 'no domain is registered'
  const rows = found.map(({ name, status, since, checked_at: checked, fault, proof }) => [
    name,
    isOpen({ status, proof }) ? 'active, with pages' : status,
    formatTime(since),
    checked === null ? 'never' : formatTime(checked),
    fault === null ? 'none' : toSingleLine(fault),
  ])
  return formatTable([
    ['DOMAIN', 'STATUS', 'SINCE (UTC)', 'CHECKED (UTC)', 'FAULT'],
    ...rows,
    ...refused.map(({ name, since }) => [name, 'refused', formatTime(since), '-', 'none']),
  ])
}

/** Calls an operation on one name, and returns the name in its canonical form. */
async function callWithName({ call }: CommandContext, operation: string, name: string): Promise<string> {
  return ((await call(operation, { name })) as { name: string }).name
}

/** Whether it leads here and is not narrowed to short links. */
function isOpen({ status, proof }: Pick<DomainRow, 'status' | 'proof'>): boolean {
  return status === 'active' && proof !== null
}

function describe(row: DomainRow): string {
  const { name, status, fault, proof } = row
  const text = `${name} is ${status}${fault === null ? '' : `: ${toSingleLine(fault)}`}`
  if (proof === null || !isOpen(row)) return text
  return (
    `${text}, and serves pages as well: it led here before it was registered. ` +
    `It is narrowed to short links once ${proof.name} has the TXT record ${proof.value}`
  )
}
