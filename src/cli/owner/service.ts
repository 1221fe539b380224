import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createQuirlClient, type QuirlClient, type Schemas } from '../../client/client.ts'
import type { Flags } from '../../config/sources.ts'
import { origin } from '../../config/values.ts'
import { StartError } from '../../lib/start-error.ts'
import { isToken } from '../../lib/token.ts'
import { CommandError, exits } from '../command-error.ts'
import type { CommandContext } from '../command.ts'
import { configFolder, openKeptTokens, type KeptTokens } from './kept-tokens.ts'

/** Where the service runs when nothing names another. */
const LOCAL = 'http://localhost:3000'
/** How long a command waits for a response, in milliseconds. */
const RESPONSE_MS = 30_000
const TRIES = 4
/** A command waits no longer for a quota. */
const MAX_WAIT_SECONDS = 20

/** The service that a command calls. */
export interface Service {
  server: string
  /** Tokens of links. */
  kept: KeptTokens
  /** Tokens of collections. */
  collections: KeptTokens
  /** The operator's key, for creations. @throws {StartError} for what is no key */
  createKey: () => string | undefined
  /**
   * @param token of the link or collection, for its own paths; or that of the operator
   * @param code of a link of the collection, which the paths of links are about then
   */
  client: (token?: string, code?: string) => QuirlClient
  /** The same at another origin, which the address of a page has named; this one where it is the only one. */
  at: (server: string) => Service
}

/** What says which service a command calls. */
export interface ServiceContext extends Pick<CommandContext, 'flags' | 'env'> {
  /**
   * Whether it calls no other, whatever addresses it is given: an assistant does what texts that it reads tell it to, and an
   * address of theirs would get the access code, or what it asks for.
   */
  isOnlyService?: boolean
}

/** The service that `--server`, `QUIRL_SERVER` or the file config.json names. @throws {StartError} when it is no origin */
export function openService({ flags, env, isOnlyService = false }: ServiceContext): Service {
  const folder = configFolder(env)
  const [name, value] = namedServer(flags, env, folder)
  const server = typeof value === 'string' ? origin(value) : undefined
  if (server === undefined)
    throw new StartError(`${name} must be an origin such as https://qr.example.com, without path or query`)
  const kept = openKeptTokens(folder, 'tokens.json')
  const collections = openKeptTokens(folder, 'collections.json')
  return serviceAt(server, { kept, collections, flags, env, isOnlyService, named: server })
}

function namedServer(flags: Flags, env: NodeJS.ProcessEnv, folder: string | undefined): [name: string, value: unknown] {
  if (flags['server'] !== undefined) return ['--server', flags['server']]
  if (env['QUIRL_SERVER']) return ['QUIRL_SERVER', env['QUIRL_SERVER']]
  const file = folder && join(folder, 'config.json')
  return [`"server" in ${file}`, (file && settingsIn(file).server) ?? LOCAL]
}

/**
 * The key that `--create-key`, `QUIRL_CREATE_KEY` or config.json has; that of config.json is only for the service there, and that of
 * the environment for the service that the command calls when no address names another.
 * @throws {StartError} for what is no key, without showing it
 */
function readCreateKey(server: string, { flags, env, named: own }: Given): string | undefined {
  const folder = configFolder(env)
  const file = folder && join(folder, 'config.json')
  const kept = file === undefined ? {} : settingsIn(file)
  const isKept = typeof kept.server === 'string' && origin(kept.server) === server
  const named: [name: string, value: unknown][] = [
    ['--create-key', flags['create-key']],
    ['QUIRL_CREATE_KEY', (server === own && env['QUIRL_CREATE_KEY']) || undefined],
    [`"createKey" in ${file}`, isKept ? kept.createKey : undefined],
  ]
  const [name, value] = named.find(([, each]) => each !== undefined) ?? []
  if (value === undefined || (typeof value === 'string' && isToken(value))) return value
  throw new StartError(`${name} must be an access code of the service: 43 letters, digits, - and _`)
}

interface Given extends Pick<Service, 'kept' | 'collections'>, Required<ServiceContext> {
  /** The service that is called when no address names another. */
  named: string
}

function serviceAt(server: string, given: Given): Service {
  const { kept, collections, isOnlyService } = given
  const service: Service = {
    server,
    kept,
    collections,
    createKey: () => readCreateKey(server, given),
    client: (token, code) => createQuirlClient({ server, token, code, fetch: fetchPatiently }),
    at: (other) => (isOnlyService ? service : serviceAt(other, given)),
  }
  return service
}

function settingsIn(file: string): { server?: unknown; createKey?: unknown } {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { server?: unknown; createKey?: unknown }) ?? {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new StartError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Sends a request again when the service is overloaded or could not be reached. Every change that the commands request is
 * idempotent, by its nature or by an `Idempotency-Key`.
 */
async function fetchPatiently(request: Request): Promise<Response> {
  for (let left = TRIES - 1; ; left--) {
    const response = await tryFetch(request.clone()).catch((error: Error) => error)
    const isFinal = left === 0 || (response instanceof Response && response.status !== 503 && response.status !== 429)
    const seconds = response instanceof Response ? Number(response.headers.get('retry-after') ?? 1) : 1
    if (isFinal || seconds > MAX_WAIT_SECONDS) {
      if (response instanceof Response) return response
      throw new CommandError(
        `${new URL(request.url).origin} cannot be reached: ${reasonOf(response)}`,
        exits.unreachable,
      )
    }
    if (response instanceof Response) await response.body?.cancel()
    await sleep(seconds * 1000 * (1 + Math.random() / 4))
  }
}

/** Bounds the wait for the response, but not for all of its body: an export may be long. */
async function tryFetch(request: Request): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`no response in ${RESPONSE_MS / 1000} seconds`)), RESPONSE_MS)
  try {
    // Nothing that quirl answers here is a redirect: one would send the request to a service that nobody has named.
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]), redirect: 'manual' })
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: Error): string {
  const { cause } = error
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : error.message
}

/** The data of a response. @throws {CommandError} with what the problem says when the service refused the request */
export function dataOf<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (response.ok && data !== undefined) return data
  throw new CommandError(describeProblem(error, response), isOverload(response) ? exits.unreachable : exits.refused)
}

function isOverload({ status }: Response): boolean {
  return status === 429 || status >= 500
}

function describeProblem(error: unknown, { status, url, headers }: Response): string {
  const problem = error as Partial<Schemas['Problem']> | undefined
  const { origin: server } = new URL(url)
  const elsewhere = status >= 300 && status < 400 ? URL.parse(headers.get('location') ?? '', url)?.origin : undefined
  if (elsewhere !== undefined && elsewhere !== server)
    return `${server} redirects to ${elsewhere}; if that is the service, name it with --server or QUIRL_SERVER`
  if (typeof problem?.detail !== 'string') return `${server} answered with status ${status}; is it quirl?`
  const fields = problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? []
  return fields.length > 1 ? fields.join('; ') : problem.detail
}
