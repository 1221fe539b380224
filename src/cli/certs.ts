import { StartError } from '../lib/start-error.ts'
import type { CertificatesResult, RenewedResult } from '../tls/operator.ts'
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
  const { certificates } = (await call('certs')) as CertificatesResult
  const rows = certificates.map(({ name, expires_at: expires, renews_at: renews, fault, retry_at: retry }) => [
    name,
    expires === null ? 'none yet' : formatTime(expires),
    renews === null ? '-' : formatTime(renews),
    fault === null
      ? 'good'
      : `${toSingleLine(fault)}${retry === null ? '' : `; next attempt after ${formatTime(retry)}`}`,
  ])
  return formatTable([['NAME', 'EXPIRES (UTC)', 'RENEWAL (UTC)', 'STATE'], ...rows])
}
