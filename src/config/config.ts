import { parseArgs } from 'node:util'
import { databaseSettings } from './database.ts'
import { limitSettings } from './limits.ts'
import { redisSettings } from './redis.ts'
import { scanSettings } from './scans.ts'
import { setting, type Setting } from './setting.ts'
import { flagOf, readSettings, type Flags, type SetSetting, type SetSettings } from './sources.ts'
import { expandAliases, tlsSettings } from './tls.ts'
import { abuseFeeds, contactUri, integer, oneOf, onOrOff, origin } from './values.ts'
import { withVariables } from './postgres-url.ts'
import { parseNetworks } from '../lib/network.ts'
import { StartError } from '../lib/start-error.ts'

/** Every setting, declared once: `readConfig`, `--help` and `docs/configuration.md` iterate over this table. */
export const settings = {
  port: setting({
    name: 'PORT',
    isChecked: true,
    fallback: '3000',
    parse: (text) => integer(text, 0, 65_535),
    allowed: 'a whole number from 0 to 65535 (0 takes any free port)',
    doc: 'TCP port to listen on',
  }),
  host: setting({
    name: 'HOST',
    isChecked: true,
    fallback: '0.0.0.0',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
    allowed: 'an IP address or a host name of this machine',
    doc: 'address to listen on',
  }),
  reusePort: setting({
    name: 'REUSE_PORT',
    isChecked: true,
    fallback: 'off',
    parse: onOrOff,
    allowed: '`on` or `off`',
    doc: 'whether other nodes on this machine may listen on the same ports, among which the kernel spreads the connections ([several nodes](scale.md#several-nodes-on-one-machine)); Linux only',
  }),
  baseUrl: setting({
    name: 'BASE_URL',
    fallback: undefined,
    parse: origin,
    allowed: 'an origin such as https://qr.example.com, without path, query or credentials',
    doc: 'public origin of all URLs that the service returns; unset: `http://localhost:$PORT`, and responses to a loopback host, an address of this machine or its host name use the host of the request',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    fallback: './data',
    parse: (text) => text,
    allowed: 'a folder',
    doc: 'folder for all data of quirl; created when it is missing',
  }),
  ...databaseSettings,
  ...redisSettings,
  trustProxy: setting({
    name: 'TRUST_PROXY',
    fallback: undefined,
    parse: parseNetworks,
    allowed: 'a comma-separated list of addresses and networks, such as 10.0.0.0/8,::1',
    doc: 'proxies whose `X-Forwarded-For` is trusted, read from right to left; unset: no proxy is trusted',
  }),
  ...scanSettings,
  abuseFeeds: setting({
    name: 'ABUSE_FEEDS',
    fallback: undefined,
    parse: abuseFeeds,
    allowed: 'a comma-separated list of files, https URLs and `recommended`; or `off`',
    doc: 'lists of malicious hosts and URLs that no link may lead to ([abuse](abuse.md#lists)); the format of each is detected. Unset: `recommended` where `BASE_URL` has a public name and `CREATE=open`, else none',
  }),
  contact: setting({
    name: 'CONTACT',
    fallback: undefined,
    parse: contactUri,
    allowed: 'an e-mail address or an https URL',
    doc: 'contact for abuse and security reports: shown on pages and in `/.well-known/security.txt`',
  }),
  create: setting({
    name: 'CREATE',
    isChecked: true,
    fallback: 'open',
    parse: oneOf({ open: 'open' as const, token: 'token' as const, closed: 'closed' as const }),
    allowed: '`open`, `token` or `closed`',
    doc: 'who may create links and register domains: anyone, who has an access code of `quirl keys` ([private instance](private.md)), or nobody',
  }),
  ...limitSettings,
  qrMarker: setting({
    name: 'QR_MARKER',
    fallback: 'on',
    parse: onOrOff,
    allowed: '`on` or `off`',
    doc: 'whether QR images of short links contain `?qr=1`, which distinguishes scans from clicks',
  }),
  webhooks: setting({
    name: 'WEBHOOKS',
    fallback: 'on',
    parse: onOrOff,
    allowed: '`on` or `off`',
    doc: 'whether owners can have events of their links sent to an address, and the service sends requests for them',
  }),
  ...tlsSettings,
}

type Settings = typeof settings

/** The parsed value of each setting. */
export type Config = { readonly [K in keyof Settings]: Value<Settings[K]> }
type Value<S> = S extends Setting<infer T, infer F> ? NonNullable<T> | (F extends string ? never : undefined) : never

/** The settings that checks of `quirl doctor` are about: those whose entry says so. */
export type CheckedConfig = {
  readonly [K in keyof Settings as Settings[K] extends { isChecked: true } ? K : never]: Config[K]
}

export function checkedConfig(config: Config): CheckedConfig {
  const checked = Object.entries<Setting<unknown>>(settings).filter(([, { isChecked }]) => isChecked === true)
  return Object.fromEntries(checked.map(([key]) => [key, config[key as keyof Config]])) as CheckedConfig
}

/** The part of a command that parsing needs. */
export interface CommandShape {
  name: string
  /** Flags besides the settings. */
  options?: Record<string, { type: 'string' | 'boolean'; doc: string; multiple?: true }>
  /** Whether it runs although a setting has a value that is not allowed, which is then unset. */
  acceptsFaults?: boolean
}

/** The parsed command line. `args` are the positional arguments after the command's name. */
export type Invocation<C extends CommandShape = CommandShape> =
  | { run: 'help'; command?: C | undefined }
  | { run: 'version' }
  | { run: 'serve'; config: Config }
  | { run: 'command'; command: C; args: string[]; flags: Flags; config: Config; set: SetSettings }

/**
 * Parses the command line and reads the configuration: flags take precedence over the environment, which takes
 * precedence over the `.env` file. An empty value counts as unset. The default command is "serve".
 * @throws {StartError} for an unknown command or flag, or a value that is not allowed
 */
export function readConfig<C extends CommandShape>(
  argv: string[],
  env: NodeJS.ProcessEnv,
  dotEnvFile = '.env',
  commands: readonly C[] = [],
): Invocation<C> {
  const { values, positionals } = parseFlags(argv, commands)
  const [name = 'serve', ...args] = positionals
  const command = commands.find((each) => each.name === name)
  const flags = flagsOf(values, command)
  if (flags['version'] === true) return { run: 'version' }
  if (name !== 'serve' && command === undefined) throw usageError(`Unknown command '${name}'`)
  if (flags['help'] === true) return { run: 'help', command }
  checkFlags(flags, name, command, commands)
  if (command === undefined && args.length > 0) throw usageError(`Unexpected argument '${args[0]}'`)
  const set = readSettings(settings, withoutOptions(flags, command), env, dotEnvFile)
  refuseFaults(set, command)
  const config = withLibpq(valuesOf(set.settings), env)
  return command === undefined ? { run: 'serve', config } : { run: 'command', command, args, flags, config, set }
}

/** The flags that were given: of one that is not to be repeated, the last. */
function flagsOf(values: ParsedFlags, command: CommandShape | undefined): Flags {
  const given = Object.entries(values).map(([flag, list = []]) => {
    const takesMany = command?.options?.[flag]?.multiple === true
    return [flag, takesMany ? list.map(String) : list.at(-1)] as const
  })
  return Object.fromEntries(given)
}

/** Refuses flags of other commands, which would be ignored otherwise. */
function checkFlags(flags: Flags, name: string, command: CommandShape | undefined, all: readonly CommandShape[]): void {
  const given = all.flatMap(({ options = {} }) => Object.keys(options)).filter((flag) => flags[flag] !== undefined)
  const foreign = given.find((flag) => command?.options?.[flag] === undefined && !settingFlags.has(flag))
  if (foreign !== undefined) throw usageError(`'${name}' has no option '--${foreign}'`)
}

const settingFlags = new Set(Object.values(settings).map(({ name }) => flagOf(name)))

/** The flags of settings: of two of one name, that of the command is meant. */
function withoutOptions(flags: Flags, command: CommandShape | undefined): Flags {
  const own = command?.options ?? {}
  return Object.fromEntries(Object.entries(flags).filter(([flag]) => own[flag] === undefined))
}

function refuseFaults({ settings: all }: SetSettings, command: CommandShape | undefined): void {
  if (command?.acceptsFaults === true) return
  const fault = all.find((each) => each.fault !== undefined)?.fault
  if (fault !== undefined) throw new StartError(fault)
}

/** The values of settings; undefined for one whose text is not allowed. */
export function valuesOf(set: SetSetting[]): Config {
  return Object.fromEntries(set.map(({ key, value }) => [key, value])) as Config
}

/** Adds the variables of libpq (`PGSSLMODE` …) to the URLs of PostgreSQL, as `psql` does. */
function withLibpq(config: Config, env: NodeJS.ProcessEnv): Config {
  const complete = (url: string | undefined) => (url === undefined ? undefined : withVariables(url, env))
  const { databaseUrl, databaseListenUrl } = config
  return { ...config, databaseUrl: complete(databaseUrl), databaseListenUrl: complete(databaseListenUrl) }
}

type ParsedFlags = Record<string, (string | boolean)[] | undefined>

/** Two commands may have an option of one name, which only one of them takes several times: each is parsed as a list. */
function parseFlags(argv: string[], commands: readonly CommandShape[]): { values: ParsedFlags; positionals: string[] } {
  const named = Object.values(settings).map((row) => [flagOf(row.name), { type: 'string' }] as const)
  const all: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    ...Object.fromEntries(named),
    ...Object.assign({}, ...commands.map((command) => command.options ?? {})),
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  }
  const options = Object.fromEntries(
    Object.entries(all).map(([flag, { type, short }]) => [
      flag,
      { type, multiple: true as const, ...(short && { short }) },
    ]),
  )
  try {
    const args = expandAliases(argv)
    const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
    return { values, positionals }
  } catch (error) {
    throw usageError((error as Error).message.split('. ')[0] ?? '')
  }
}

function usageError(fault: string): StartError {
  return new StartError(`${fault}; "quirl --help" lists commands and flags`)
}
