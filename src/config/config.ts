import { existsSync, readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { limitSettings } from './limits.ts'
import { setting, type Setting } from './setting.ts'
import { spellOut, tlsSettings } from './tls.ts'
import { contactUri, countryHeader, integer, listSources, origin, placeSources, retention } from './values.ts'
import { parseNetworks } from '../lib/network.ts'
import { StartError } from '../lib/start-error.ts'

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
    doc: 'public origin, written into every URL that is handed out; unset: `http://localhost:$PORT`, and a request to a loopback host, an address of this machine or its host name gets that host back',
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
    fallback: 'bundled',
    parse: placeSources,
    allowed: '`off`, or a comma-separated list of .mmdb files, https URLs of them (also .mmdb.gz) and `bundled`',
    doc: 'databases of countries and cities; the first that knows answers. What a URL answers is asked for again each month; `{YYYY}` and `{MM}` in it are the year and the month',
  }),
  geoHeaders: setting({
    name: 'GEO_HEADERS',
    fallback: undefined,
    parse: countryHeader,
    allowed: '`cloudflare`, `vercel` or `cloudfront`',
    doc: 'network whose country header is believed, when it comes from `TRUST_PROXY`',
  }),
  abuseFeeds: setting({
    name: 'ABUSE_FEEDS',
    fallback: undefined,
    parse: listSources,
    allowed: 'a comma-separated list of files and https URLs',
    doc: 'lists of malicious hosts and URLs that no link may lead to; the format of each is recognised',
  }),
  contact: setting({
    name: 'CONTACT',
    fallback: undefined,
    parse: contactUri,
    allowed: 'an e-mail address or an https URL',
    doc: 'where to write about abuse: shown on pages and in `/.well-known/security.txt`',
  }),
  ...limitSettings,
  qrMarker: setting({
    name: 'QR_MARKER',
    fallback: 'on',
    parse: (text) => ({ on: true, off: false })[text],
    allowed: '`on` or `off`',
    doc: 'whether QR images of short links carry `?qr=1`, which tells a scan from a click',
  }),
  ...tlsSettings,
}

type Settings = typeof settings

/** The parsed values, one for each row of the table. */
export type Config = { readonly [K in keyof Settings]: Value<Settings[K]> }
type Value<S> = S extends Setting<infer T, infer F> ? NonNullable<T> | (F extends string ? never : undefined) : never

/** What a command takes besides the settings. */
export interface CommandShape {
  name: string
  /** Its own flags. */
  options?: Record<string, { type: 'string' | 'boolean'; doc: string }>
}

/** What the command line asks for. `words` are what stands after the command's name, flags taken out. */
export type Invocation<C extends CommandShape = CommandShape> =
  | { run: 'help'; command?: C | undefined }
  | { run: 'version' }
  | { run: 'serve'; config: Config }
  | { run: 'command'; command: C; words: string[]; flags: Flags; config: Config }

/** Flags by name, without dashes. */
export type Flags = Record<string, string | boolean | undefined>

/**
 * Reads the command line, and the configuration once: flags over environment over the `.env` file. An empty value
 * counts as unset. Without the name of a command, or with "serve", it asks to serve.
 * @throws {StartError} for an unknown command or flag, or a value that is not allowed
 */
export function readConfig<C extends CommandShape>(
  args: string[],
  env: NodeJS.ProcessEnv,
  dotEnvFile = '.env',
  commands: readonly C[] = [],
): Invocation<C> {
  const { flags, words } = readFlags(args, commands)
  const [name = 'serve', ...rest] = words
  const command = commands.find((each) => each.name === name)
  if (flags['version'] === true) return { run: 'version' }
  if (name !== 'serve' && command === undefined) throw refusal(`Unknown command '${name}'`)
  if (flags['help'] === true) return { run: 'help', command }
  checkFlags(flags, name, command, commands)
  if (command === undefined && rest.length > 0) throw refusal(`Unexpected argument '${rest[0]}'`)
  const config = readValues(flags, env, dotEnvFile)
  return command === undefined ? { run: 'serve', config } : { run: 'command', command, words: rest, flags, config }
}

/** A flag that belongs to another command would be ignored; whoever typed it means something by it. */
function checkFlags(flags: Flags, name: string, command: CommandShape | undefined, all: readonly CommandShape[]): void {
  const given = all.flatMap(({ options = {} }) => Object.keys(options)).filter((flag) => flags[flag] !== undefined)
  const foreign = given.find((flag) => command?.options?.[flag] === undefined)
  if (foreign !== undefined) throw refusal(`'${name}' has no option '--${foreign}'`)
}

function readValues(flags: Flags, env: NodeJS.ProcessEnv, dotEnvFile: string): Config {
  const dotEnv = existsSync(dotEnvFile) ? parseEnv(readFileSync(dotEnvFile, 'utf8')) : {}
  const values = Object.entries(settings).map(([key, row]) => {
    const text = [flags[flagOf(row.name)], env[row.name], dotEnv[row.name], row.fallback].find(Boolean)
    return [key, typeof text === 'string' ? parseValue(row, text) : undefined]
  })
  return Object.fromEntries(values) as Config
}

function parseValue(row: Setting<unknown>, text: string): unknown {
  const value = row.parse(text)
  if (value === undefined) throw new StartError(`${row.name}=${text} is not allowed: it must be ${row.allowed}`)
  return value
}

function readFlags(args: string[], commands: readonly CommandShape[]): { flags: Flags; words: string[] } {
  const named = Object.values(settings).map((row) => [flagOf(row.name), { type: 'string' }] as const)
  const options = {
    ...Object.fromEntries(named),
    ...Object.assign({}, ...commands.map((command) => command.options ?? {})),
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  } as Record<string, { type: 'string' | 'boolean' }>
  try {
    const { values, positionals } = parseArgs({ args: spellOut(args), options, strict: true, allowPositionals: true })
    return { flags: values, words: positionals }
  } catch (error) {
    throw refusal((error as Error).message.split('. ')[0] ?? '')
  }
}

function refusal(fault: string): StartError {
  return new StartError(`${fault}; "quirl --help" lists what there is`)
}

/** The flag of a setting, without dashes. */
export function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}
