import { setting } from './setting.ts'
import { integer, onOrOff, parseServers } from './values.ts'

const port = (text: string) => integer(text, 0, 65_535)
const ports = 'a whole number from 0 to 65535 (0 takes any free port)'

/** The settings of custom domains and of built-in TLS. */
export const tlsSettings = {
  dnsServers: setting({
    name: 'DNS_SERVERS',
    fallback: undefined,
    parse: parseServers,
    allowed: 'a comma-separated list of addresses, each with or without a port, such as 9.9.9.9,[2620:fe::fe]:53',
    doc: "DNS servers for the checks of custom domains; unset: the system's",
  }),
  tls: setting({
    name: 'TLS',
    isChecked: true,
    fallback: 'off',
    parse: onOrOff,
    allowed: '`on` or `off`',
    doc: 'whether quirl itself serves HTTPS, with certificates that it obtains automatically; `PORT` is not used then, and `BASE_URL` must be https',
  }),
  httpPort: setting({
    name: 'HTTP_PORT',
    isChecked: true,
    fallback: '80',
    parse: port,
    allowed: ports,
    doc: 'with `TLS=on`: port for plain HTTP, on which certificate authorities validate domains',
  }),
  httpsPort: setting({
    name: 'HTTPS_PORT',
    isChecked: true,
    fallback: '443',
    parse: port,
    allowed: ports,
    doc: 'with `TLS=on`: port for HTTPS',
  }),
  acmeDirectory: setting({
    name: 'ACME_DIRECTORY',
    fallback: 'https://acme-v02.api.letsencrypt.org/directory',
    parse: httpsUrl,
    allowed: 'an https URL',
    doc: 'with `TLS=on`: directory URL of the certificate authority (RFC 8555); by using it you agree to its terms',
  }),
  acmeEmail: setting({
    name: 'ACME_EMAIL',
    fallback: undefined,
    parse: (text) => (/^[^\s@,?&]+@[\w.-]+\.[\w-]+$/.test(text) ? text : undefined),
    allowed: 'an e-mail address',
    doc: 'with `TLS=on`: contact address for the certificate authority (also `--email`)',
  }),
}

/** Expands the short forms `--tls` and `--email`. */
export function expandAliases(args: string[]): string[] {
  return args.map((arg, at) => {
    if (arg === '--tls' && !['on', 'off'].includes(args[at + 1] ?? '')) return '--tls=on'
    return arg.replace(/^--email(?==|$)/, '--acme-email')
  })
}

function httpsUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username + url.password === '' ? url.href : undefined
}
