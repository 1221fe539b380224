import { existsSync, readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { parseNetworks } from './http/client-address.ts'
import { StartError } from './lib/start-error.ts'
import { countryHeader } from './scans/describe.ts'

/** How one value is configured. `parse` returns undefined for a text that is not allowed. */
interface Setting<T, F extends string | undefined = string | undefined> {
  /** The environment variable; the flag is the same word in lower case with dashes. */
  name: string
  /** The text that stands in when none is given; undefined when "unset" has a meaning of its own. */
  fallback: F
  parse: (text: string) => T | undefined
  /** Completes "is not allowed: …". */
  allowed: string
  doc: string
}

function setting<T, F extends string | undefined>(spec: Setting<T, F>): Setting<T, F> {
  return spec
}

/** Every value that quirl can be told, once: `--help`, `docs/configuration.md` and the reader walk this table. */
export const settings = {
  port: setting({
    name: 'PORT',
    fallback: '3000',
    parse: (text) => integer(text, 0, 65_535),
    allowed: 'a whole number from 0 to 65535 (0 takes any free port)',
    doc: 'TCP port to listen on',
  }),
  host: setting({
    name: 'HOST',
    fallback: '0.0.0.0',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
    allowed: 'an IP address or a host name of this machine',
    doc: 'address to listen on',
  }),
  baseUrl: setting({
    name: 'BASE_URL',
    fallback: undefined,
    parse: origin,
    allowed: 'an origin such as https://qr.example.com, without path, query or credentials',
    doc: 'public origin, written into every URL that is handed out; unset: `http://localhost:$PORT`, and a request to a loopback host gets that host back',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    fallback: './data',
    parse: (text) => text,
    allowed: 'a folder',
    doc: 'folder that holds everything quirl keeps; created when it is missing',
  }),
  trustProxy: setting({
    name: 'TRUST_PROXY',
    fallback: undefined,
    parse: parseNetworks,
    allowed: 'a comma-separated list of addresses and networks, such as 10.0.0.0/8,::1',
    doc: 'proxies whose `X-Forwarded-For` is believed, walked right to left; unset: nobody is trusted',
  }),
  scanSync: setting({
    name: 'SCAN_SYNC',
    fallback: 'process',
    parse: (text) => ({ process: 'process' as const, power: 'power' as const })[text],
    allowed: '`process` or `power`',
    doc: 'what an answered visit survives: the end of the process (also `kill -9`), or power loss as well',
  }),
  scanRetention: setting({
    name: 'SCAN_RETENTION',
    fallback: 'forever',
    parse: retention,
    allowed: '`forever` or a number of days such as `90d`',
    doc: 'how long raw scans are kept; the daily counts stay',
  }),
  geoipDb: setting({
    name: 'GEOIP_DB',
    fallback: undefined,
    parse: (text) => text,
    allowed: 'an .mmdb file',
    doc: 'database of places with cities; unset: countries from the bundled one',
  }),
  geoHeaders: setting({
    name: 'GEO_HEADERS',
    fallback: undefined,
    parse: (text) => countryHeader(text),
    allowed: '`cloudflare`, `vercel` or `cloudfront`',
    doc: 'network whose country header is believed, when it comes from `TRUST_PROXY`',
  }),
  qrMarker: setting({
    name: 'QR_MARKER',
    fallback: 'on',
    parse: (text) => ({ on: true, off: false })[text],
    allowed: '`on` or `off`',
    doc: 'whether QR images of short links carry `?qr=1`, which tells a scan from a click',
  }),
}

type Settings = typeof settings

/** The parsed values, one for each row of the table. */
export type Config = { readonly [K in keyof Settings]: Value<Settings[K]> }
type Value<S> = S extends Setting<infer T, infer F> ? NonNullable<T> | (F extends string ? never : undefined) : never

/** What the command line asks for. */
export type Invocation = { run: 'help' } | { run: 'version' } | { run: 'serve'; config: Config }

/**
 * Reads the configuration once: flags over environment over the `.env` file. An empty value counts as unset.
 * @throws {StartError} for an unknown flag or a value that is not allowed
 */
export function readConfig(args: string[], env: NodeJS.ProcessEnv, dotEnvFile = '.env'): Invocation {
  const flags = readFlags(args)
  if (flags['help'] === true) return { run: 'help' }
  if (flags['version'] === true) return { run: 'version' }
  const dotEnv = existsSync(dotEnvFile) ? parseEnv(readFileSync(dotEnvFile, 'utf8')) : {}
  const values = Object.entries(settings).map(([key, row]) => {
    const text = [flags[flagOf(row.name)], env[row.name], dotEnv[row.name], row.fallback].find(Boolean)
    return [key, typeof text === 'string' ? parseValue(row, text) : undefined]
  })
  return { run: 'serve', config: Object.fromEntries(values) as Config }
}

function parseValue(row: Setting<unknown>, text: string): unknown {
  const value = row.parse(text)
  if (value === undefined) throw new StartError(`${row.name}=${text} is not allowed: it must be ${row.allowed}`)
  return value
}

function readFlags(args: string[]): Record<string, string | boolean | undefined> {
  const named = Object.values(settings).map((row) => [flagOf(row.name), { type: 'string' }] as const)
  const options = { ...Object.fromEntries(named), help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } }
  try {
    return parseArgs({ args, options: options as Record<string, { type: 'string' | 'boolean' }>, strict: true }).values
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('. ')[0]}; "quirl --help" lists what there is`)
  }
}

function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** The text of `quirl --help`. */
export function helpText(): string {
  const rows = Object.values(settings).map((row) => {
    const fallback = row.fallback === undefined ? '' : ` [${row.fallback}]`
    return `  --${flagOf(row.name).padEnd(12)} ${row.name.padEnd(10)} ${row.doc.replaceAll('`', '')}${fallback}`
  })
  return [
    'quirl: short links and dynamic QR codes without an account',
    '',
    'Usage: quirl [flags]',
    '',
    'Each value is taken from its flag, else from the environment variable, else from the file .env:',
    '',
    ...rows,
    `  --${'help'.padEnd(23)} this text`,
    `  --${'version'.padEnd(23)} the version`,
    '',
  ].join('\n')
}

/** The text of `docs/configuration.md`. */
export function configurationPage(): string {
  const rows = Object.values(settings).map((row) => {
    const fallback = row.fallback === undefined ? 'unset' : `\`${row.fallback}\``
    return `| \`${row.name}\` | \`--${flagOf(row.name)}\` | ${fallback} | ${row.doc} | ${row.allowed} |`
  })
  return [
    '# Configuration',
    '',
    '<!-- Generated from src/config.ts by "npm run docs". -->',
    '',
    'Every value has a default, so nothing is required. Each is taken from its flag, else from the environment variable,',
    'else from the file `.env` in the working folder. An empty value counts as unset. A value that is not allowed stops',
    'the start with a line that says why.',
    '',
    '| variable | flag | default | meaning | allowed |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function integer(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

const DAY_MS = 86_400_000

/** How long, in milliseconds. */
function retention(text: string): number | undefined {
  if (text === 'forever') return Number.POSITIVE_INFINITY
  const days = integer(text.replace(/d$/, ''), 1, 36_500)
  return text.endsWith('d') && days !== undefined ? days * DAY_MS : undefined
}

function origin(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return url.username + url.password + url.search + url.hash === '' && url.pathname === '/' ? url.origin : undefined
}
