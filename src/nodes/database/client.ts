import pg from 'pg'
import type { Attempts } from './attempts.ts'
import { mayDependOnTls, tlsOptions } from './tls.ts'
import type { Unanswered } from './unanswered.ts'
import type { Way, Ways } from '../../config/postgres-url.ts'

/** How long a connection may take to close. */
const END_MS = 1000

/** The server is being started or stopped. */
const CANNOT_CONNECT_NOW = '57P03'

/** What a connection calls once it is open, or cannot be opened. */
type Opened = (error: Error | null, client?: pg.Client) => void

/** The options of a connection, with the ways to open it in place of one server. */
export type ClientOptions = Omit<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'ssl'> & {
  target: Ways
  /** Of all connections that take each other's place. */
  unanswered?: Unanswered
}

/**
 * A connection that is opened in the first way that succeeds, as libpq does. It ends within a second, also when nobody answers
 * at its other side: `pg` would keep the socket until that side closes it. The statement that fails is what tells of a loss; an
 * event that nobody handles would end the process.
 */
export class BoundedClient extends pg.Client {
  readonly #options: ClientOptions
  /** Of `pg`: the process of the server, once it has told it, and whether it has answered all that it was sent. */
  declare readonly processID: number | null
  declare readonly readyForQuery: boolean | null

  constructor(options: ClientOptions) {
    super({ ssl: false, sslnegotiation: 'postgres' })
    this.#options = options
    this.on('error', () => {})
  }

  override connect(): Promise<pg.Client>
  override connect(callback: Opened): void
  override connect(callback?: Opened): Promise<pg.Client> | undefined {
    if (callback !== undefined) {
      this.#connectBy(this.#options.target.ways, [], callback)
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.connect((error) => (error === null ? resolve(this) : reject(error)))
    })
  }

  override end(): Promise<void>
  override end(callback: () => void): void
  override end(callback?: () => void): Promise<void> | undefined {
    if (this.processID !== null && this.readyForQuery === false) this.#options.unanswered?.note(this.processID)
    const timer = setTimeout(() => this.connection.stream.destroy(), END_MS).unref()
    this.once('end', () => clearTimeout(timer))
    const ended = super.end()
    if (callback === undefined) return ended
    void ended.then(callback)
    return undefined
  }

  #connectBy([way, ...others]: Way[], failures: Failure[], callback: Opened): void {
    if (way === undefined) return callback(failureOf(failures))
    const end = (error: Error | null) => {
      if (error === null) return callback(null, this)
      const next = others.filter((other) => isWorthTrying(other, way, error))
      this.#connectBy(next, [...failures, { way, error }], callback)
    }
    try {
      this.#become(way)
    } catch (error) {
      process.nextTick(callback, error)
      return
    }
    super.connect((error: Error | null) => {
      if (error !== null) end(error)
      else this.#admit().then(() => end(null), end)
    })
  }

  /** Rejects when this connection cannot be used. */
  async #admit(): Promise<void> {
    if (this.#options.target.isWritable) await requireWritable(this)
    await this.#options.unanswered?.check(this)
  }

  /** Begins anew: `pg` connects once, to one server. */
  #become({ connectionString, tls }: Way): void {
    this.connection.removeAllListeners().on('error', () => {})
    this.connection.stream.destroy()
    const { target, unanswered: _, connectionTimeoutMillis = 0, ...rest } = this.#options
    const common = { ...rest, connectionString, connectionTimeoutMillis: connectionTimeoutMillis / target.hosts }
    const plain = new pg.Client({ ...common, ssl: false, sslnegotiation: 'postgres' })
    // Nobody can be in between on a Unix socket.
    const isPlain = tls === undefined || plain.host.startsWith('/')
    const enableChannelBinding = target.channelBinding !== 'disable'
    const sslnegotiation = tls?.isDirect === true ? 'direct' : 'postgres'
    const next = isPlain
      ? plain
      : new pg.Client({ ...common, ssl: tlsOptions(tls), enableChannelBinding, sslnegotiation })
    takeState(this, next)
    if (target.channelBinding === 'require') requireChannelBinding(this.connection)
  }
}

/** Gives a client the state of one that was just created, but not its listeners. */
function takeState(client: pg.Client, created: pg.Client): void {
  const { _events, _eventsCount, _maxListeners, ...state } = created as unknown as Record<string, unknown>
  const listening = new Set(['_events', '_eventsCount', '_maxListeners'])
  const passed = Object.keys(client).filter((name) => !listening.has(name) && !(name in state))
  Object.assign(client, Object.fromEntries(passed.map((name) => [name, undefined])), state)
  // Is not enumerated, so that no log has it.
  client.password = created.password
}

interface Failure {
  way: Way
  error: Error
}

/** Another server may let us in where one is away, being started, or no primary; to one, TLS may make a difference. */
function isWorthTrying(other: Way, tried: Way, error: Error): boolean {
  if (other.server === tried.server) return mayDependOnTls(error)
  return !('severity' in error) || ('code' in error && error.code === CANNOT_CONNECT_NOW)
}

function failureOf(failures: Failure[]): Error {
  const last = failures.at(-1)
  const error = last?.error ?? new Error('the URL of PostgreSQL names no server')
  if (last === undefined || last.way.server === 0) return error
  const all = failures.map(({ way, error }) => `${way.host}: ${error.message}`).join('; ')
  return Object.assign(new Error(all, { cause: error }), { code: 'code' in error ? error.code : undefined })
}

async function requireWritable(client: pg.Client): Promise<void> {
  const asked = `select current_setting('transaction_read_only')::boolean as "isReadOnly"`
  const { rows } = await client.query<{ isReadOnly: boolean }>(asked)
  if (rows[0]?.isReadOnly !== false)
    throw new Error('the connection leads to a server that takes no changes, as a standby or read-only')
}

/** Ends a connection whose server does not prove, bound to this connection, that it knows the password; before it gets it. */
function requireChannelBinding(connection: pg.Connection): void {
  let [hasBegun, hasProved] = [false, false]
  const refuse = () => {
    connection.emit(
      'error',
      new Error(
        'the server does not bind the password to the connection, as channel_binding=require in the URL demands',
      ),
    )
    connection.stream.destroy()
  }
  connection.on('authenticationCleartextPassword', refuse)
  connection.on('authenticationMD5Password', refuse)
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: string[] }) => {
    hasBegun = mechanisms.includes('SCRAM-SHA-256-PLUS')
    if (!hasBegun) refuse()
  })
  connection.on('authenticationSASLFinal', () => (hasProved = hasBegun))
  connection.on('authenticationOk', () => hasProved || refuse())
}

/** The connections of a pool, which has its attempts to open them bounded. `pg-pool` gives a callback, and ends none that it could not open. */
export function pooledClient(attempts: Attempts): typeof BoundedClient {
  return class extends BoundedClient {
    override connect(): Promise<pg.Client>
    override connect(callback: Opened): void
    override connect(callback?: Opened): Promise<pg.Client> | undefined {
      if (callback === undefined) return super.connect()
      let end: ReturnType<Attempts['begin']>
      try {
        end = attempts.begin()
      } catch (error) {
        process.nextTick(callback, error)
        return undefined
      }
      super.connect((error: Error | null) => {
        end(error)
        if (error !== null) this.connection.stream.destroy()
        callback(error, this)
      })
      return undefined
    }
  }
}
