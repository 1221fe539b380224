import { StartError } from '../lib/start-error.ts'
import type { CertificateRow } from '../tls/operator.ts'
import { oneWord } from './block.ts'
import type { Command } from './command.ts'
import { minuteOf, oneLine, table } from './table.ts'

export const certs: Command = {
  name: 'certs',
  usage: '[renew <domain>]',
  summary: 'list the certificates with their expiry; get a new one now, whatever failed before',
  async run(call) {
    const [verb, ...words] = call.words
    if (verb === undefined) return list(call)
    if (verb !== 'renew')
      throw new StartError(`"quirl certs" has no "${verb}": it lists, or takes "renew" and a domain`)
    const name = oneWord({ ...call, words }, 'domain')
    const renewed = (await call.ask('renew-cert', { name })) as { name: string; expires_at: number }
    return `${renewed.name} has a certificate until ${minuteOf(renewed.expires_at)} UTC`
  },
}

const list: Command['run'] = async ({ ask }) => {
  const { certificates } = (await ask('certs')) as { certificates: CertificateRow[] }
  const rows = certificates.map(({ name, expires_at: expires, renews_at: renews, fault, retry_at: retry }) => [
    name,
    expires === null ? 'none yet' : minuteOf(expires),
    renews === null ? '-' : minuteOf(renews),
    fault === null ? 'good' : `${oneLine(fault)}${retry === null ? '' : `; tried again from ${minuteOf(retry)} on`}`,
  ])
  return table([['NAME', 'EXPIRES (UTC)', 'RENEWED (UTC)', 'STATE'], ...rows])
}
