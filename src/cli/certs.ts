import { StartError } from '../lib/start-error.ts'
import { describeWaiting, type CertificateRow, type CertificatesResult, type RenewedResult } from '../tls/operator.ts'
import { singleArgument } from './arguments.ts'
import type { Command } from './command.ts'
import { formatTime, toSingleLine, formatTable } from './table.ts'

export const certs: Command = {
  name: 'certs',
  usage: '[renew <domain>]',
  summary: 'list the certificates with their expiry; renew one now, regardless of earlier failures',
  async run(context) {
    const [verb, ...args] = context.args
    if (verb === undefined) return list(context)
    if (verb !== 'renew')
      throw new StartError(`"quirl certs" has no "${verb}": give "renew" and a domain, or nothing to list`)
    const name = singleArgument(args, 'domain')
    const renewed = (await context.call('renew-cert', { name })) as RenewedResult
    return `${renewed.name} has a certificate that is valid until ${formatTime(renewed.expires_at)} UTC`
  },
}

const list: Command['run'] = async ({ call }) => {
  const { certificates, waiting } = (await call('certs')) as CertificatesResult
  const rows = certificates.map((row) => [
    row.name,
    row.expires_at === null ? 'none yet' : formatTime(row.expires_at),
    row.renews_at === null ? '-' : formatTime(row.renews_at),
    stateOf(row),
  ])
  const table = formatTable([['NAME', 'EXPIRES (UTC)', 'RENEWAL (UTC)', 'STATE'], ...rows])
  return waiting === null ? table : `${table}\n\n${toSingleLine(describeWaiting(waiting))}`
}

function stateOf({ fault, retry_at: retry, queued_at: queued }: CertificateRow): string {
  const waits = queued === null ? undefined : `waits since ${formatTime(queued)}`
  if (fault === null) return waits ?? 'good'
  const next = retry === null ? undefined : `next attempt after ${formatTime(retry)}`
  return [toSingleLine(fault), waits, next].filter((part) => part !== undefined).join('; ')
}
