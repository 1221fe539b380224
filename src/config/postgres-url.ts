// What a URL of PostgreSQL says about the servers and TLS, as libpq means it
// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS); `pg` reads the rest.
import { StartError } from '../lib/start-error.ts'

/** How a connection is encrypted: whether the server proves who it is, by an authority, and that it has the host's name. */
export interface Tls {
  verify: 'nothing' | 'authority' | 'name'
  /** Files of PEM. For the authority, also `system` and, by undefined, what Node trusts. */
  files: Partial<Record<'ca' | 'cert' | 'key' | 'crl', string>>
  passphrase?: string | undefined
  isDirect: boolean
}

/** One way to connect. */
export interface Way {
  /** With one server, and without TLS, which `pg` would read in its own sense. */
  connectionString: string
  /** The place of the server among those of the URL. */
  server: number
  host: string
  /** Undefined without TLS. */
  tls: Tls | undefined
}

/** The ways to connect, in the order in which they are tried. */
export interface Ways {
  ways: Way[]
  hosts: number
  /** Whether a server has to take changes. */
  isWritable: boolean
  /** Whether the server has to prove that it knows the password, to this end of the connection. */
  channelBinding: ChannelBinding
}

export type ChannelBinding = 'disable' | 'prefer' | 'require'

/** The parameters that are read here, with their variables. */
const variables = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslcrl: 'PGSSLCRL',
  sslnegotiation: 'PGSSLNEGOTIATION',
  channel_binding: 'PGCHANNELBINDING',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
}

/** Others that are read here, and what `pg` and JDBC know: `ssl`, `uselibpqcompat`. */
const known = [...Object.keys(variables), 'sslpassword', 'ssl', 'uselibpqcompat']

/** To ignore one of these would be to connect elsewhere, or to somebody else, than it says. */
const unknown = ['hostaddr', 'service', 'requirepeer', 'require_auth', 'sslcrldir']

/** Adds the variables of libpq that a URL does not overrule: it alone is passed on. */
export function withVariables(url: string, env: Readonly<Record<string, string | undefined>>): string {
  const { base, parameters } = split(url)
  const added = Object.entries(variables).flatMap(([name, variable]) => {
    const value = env[variable]
    return value === undefined || value === '' || parameters.has(name) ? [] : [[name, value] as const]
  })
  if (added.length === 0) return url
  for (const [name, value] of added) parameters.set(name, value)
  return join(base, parameters)
}

/** @throws {StartError} for what is contradictory, or cannot be done */
export function readUrl(url: string): Ways {
  const { base, parameters } = split(url)
  const ignored = unknown.find((name) => parameters.has(name))
  if (ignored !== undefined) throw fault(`has the parameter ${ignored}, which quirl cannot follow: leave it out`)
  if (parameters.get('gssencmode') === 'require') throw fault('has gssencmode=require: quirl knows only TLS')
  const read = (name: string) => parameters.get(name) ?? undefined
  const secured = securitiesOf(read)
  const isWritable = { any: false, 'read-write': true, primary: true }[read('target_session_attrs') ?? 'any']
  if (isWritable === undefined)
    throw fault('has a target_session_attrs that is none of any, read-write, primary: quirl needs a server for changes')
  const channelBinding = oneOf('channel_binding', read('channel_binding') ?? 'prefer', ['disable', 'prefer', 'require'])
  const hosts = hostsOf(base, parameters)
  for (const name of known) parameters.delete(name)
  const ways = hosts.flatMap(({ host, base, set }, server) => {
    const own = new URLSearchParams(parameters)
    for (const [name, value] of Object.entries(set)) own.set(name, value)
    const connectionString = join(base, own)
    return secured.map((tls): Way => ({ connectionString, server, host, tls }))
  })
  return { ways, hosts: hosts.length, isWritable, channelBinding }
}

type Read = (name: string) => string | undefined

/** The kinds of connections that a URL allows, the one that it prefers first; undefined is one without TLS. */
function securitiesOf(read: Read): (Tls | undefined)[] {
  const files = { ca: read('sslrootcert'), cert: read('sslcert'), key: read('sslkey'), crl: read('sslcrl') }
  const mode = modeOf(read)
  const isDirect = oneOf('sslnegotiation', read('sslnegotiation') ?? 'postgres', ['postgres', 'direct']) === 'direct'
  const isWeak = ['disable', 'allow', 'prefer'].includes(mode)
  if (isDirect && isWeak) throw fault(`has sslnegotiation=direct, which needs sslmode=require or stronger`)
  if (files.ca === 'system' && mode !== 'verify-full')
    throw fault(
      `has sslrootcert=system with sslmode=${mode}, which everybody with a certificate passes: write verify-full`,
    )
  if (mode === 'verify-ca' && files.ca === undefined)
    throw fault('has sslmode=verify-ca without sslrootcert: name the file of the authority, or write verify-full')
  if (files.cert !== undefined && files.key === undefined) throw fault('has sslcert without sslkey')
  const tls = (verify: Tls['verify']): Tls => ({
    verify,
    files: Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined)),
    passphrase: read('sslpassword'),
    isDirect,
  })
  switch (mode) {
    case 'disable':
      return [undefined]
    case 'allow':
      return [undefined, tls('nothing')]
    case 'prefer':
      return [tls('nothing'), undefined]
    case 'require':
      return [tls(files.ca === undefined ? 'nothing' : 'authority')]
    case 'verify-ca':
      return [tls('authority')]
    case 'verify-full':
      return [tls('name')]
  }
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Without `sslmode`, a connection has no TLS, unless a file of TLS is named. */
function modeOf(read: Read): (typeof modes)[number] {
  const isOn = ['true', '1'].includes(read('ssl') ?? '')
  const hasFile = [read('sslrootcert'), read('sslcert')].some((file) => file !== undefined)
  const given = read('sslmode') ?? (hasFile ? 'verify-full' : isOn ? 'require' : 'disable')
  // A word of `pg` for the same.
  return given === 'no-verify' ? 'require' : oneOf('sslmode', given, modes)
}

function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text)
  if (found === undefined) throw fault(`has ${name}=${text}, which is none of ${words.join(', ')}`)
  return found
}

/** Each server, and the URL and parameters that name only it. */
function hostsOf(
  base: string,
  parameters: URLSearchParams,
): { host: string; base: string; set: Record<string, string> }[] {
  const [host, port] = [parameters.get('host'), parameters.get('port')]
  if (host !== null || port?.includes(',') === true) {
    const [hosts, ports] = [(host ?? '').split(','), (port ?? '').split(',')]
    if (ports.length > 1 && ports.length !== hosts.length)
      throw fault(`names ${hosts.length} hosts and ${ports.length} ports`)
    return hosts.map((each, at) => {
      const own = ports[at] ?? ports[0] ?? ''
      return { host: each, base, set: { ...(host !== null && { host: each }), ...(own !== '' && { port: own }) } }
    })
  }
  const start = base.indexOf('//') + 2
  const end = base.includes('/', start) ? base.indexOf('/', start) : base.length
  const hostsAt = base.lastIndexOf('@', end) < start ? start : base.lastIndexOf('@', end) + 1
  const names = base.slice(hostsAt, end).split(',')
  return names.map((name) => ({ host: name, base: base.slice(0, hostsAt) + name + base.slice(end), set: {} }))
}

function split(url: string): { base: string; parameters: URLSearchParams } {
  const [base = '', ...query] = url.split('?')
  return { base, parameters: new URLSearchParams(query.join('?')) }
}

function join(base: string, parameters: URLSearchParams): string {
  return parameters.size === 0 ? base : `${base}?${parameters.toString()}`
}

/** Never has the URL, which may hold a password. */
function fault(text: string): StartError {
  return new StartError(`the URL of PostgreSQL ${text} (docs/scale.md)`)
}
