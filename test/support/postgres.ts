import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { poll } from './poll.ts'

/** The address of a database. */
export interface PostgresAddress {
  host: string
  user: string
  database: string
}

/** The address as `DATABASE_URL` has it. */
export function urlOf({ host, user, database }: PostgresAddress): string {
  return `postgres:///${database}?host=${encodeURIComponent(host)}&user=${user}`
}

/** The address of a database of a server. */
export function addressOf({ host }: Pick<PostgresServer, 'host'>, database: string): PostgresAddress {
  return { host, user: USER, database }
}

const USER = 'quirl'
const DEFAULT_PORT = 5432

/** Runs a program until the pipe from the tests is closed, as it also is when they are killed. */
const KEEP = 'trap "" INT TERM HUP; "$@" & server=$!; cat; kill -QUIT $server; wait $server'

/**
 * Creates databases on one PostgreSQL server. The first call starts the server and prepares the template of all databases:
 * starting a server takes a hundred times as long as copying a database.
 * @param ending when the server stops
 * @param prepare turns an empty database into the template, and closes its connections
 */
export function createPostgres(
  ending: Ending,
  prepare: (address: PostgresAddress) => Promise<void>,
): () => Promise<PostgresAddress> {
  let made = 0
  let prepared: Promise<string> | undefined
  const prepareFirst = async (): Promise<string> => {
    const { host } = await startPostgres(ending)
    await execute({ host }, 'create database prepared')
    await prepare({ host, user: USER, database: 'prepared' })
    return host
  }
  return async () => {
    const host = await (prepared ??= prepareFirst())
    const database = `test_${++made}`
    // Copying the files takes half the CPU time of writing each page to the log.
    await execute({ host }, `create database ${database} template prepared strategy file_copy`)
    return { host, user: USER, database }
  }
}

type Where = Pick<pg.ClientConfig, 'host' | 'port'>

async function execute(where: Where, statement: string, database = 'postgres'): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...where, user: USER, database })
  await client.connect()
  return client.query(statement).finally(() => client.end())
}

/** A server whose process the test may kill. */
export interface PostgresServer {
  /** The folder of its Unix socket. */
  host: string
  /** The path of that. */
  socket: string
  /** Of loopback, if it listens there. */
  port: number
  user: string
  start: () => Promise<void>
  /** Ends all its processes at once, as the loss of the machine does; resolves when they have ended. */
  kill: () => Promise<void>
  /** Stops all its processes, which keep their connections and answer nothing; `resume` lets them go on. */
  stall: () => void
  resume: () => void
  /** Runs a statement as its superuser. */
  execute: (statement: string, database?: string) => Promise<pg.QueryResult>
}

/** What is special about a server. */
export interface PostgresOptions {
  /** The server of which it is a standby. */
  standbyOf?: PostgresServer
  /** The port of loopback on which it also listens; by default only its Unix socket does. */
  port?: number
  settings?: string[]
  /** Called with the folder of its data before it starts. */
  prepare?: (data: string) => void
}

/** Neither PostgreSQL nor PgBouncer runs as root: a user who owns no other file. */
export const serverUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

/** A folder that `serverUser` may write. */
export function serverFolder(ending: Ending): string {
  const folder = temporaryFolder(ending)
  if (serverUser !== undefined) chownSync(folder, serverUser.uid, serverUser.gid)
  return folder
}

/** The variable with a folder of an empty server's data. */
const DATA_TEMPLATE = 'POSTGRES_DATA_TEMPLATE'

/**
 * Creates the data of an empty server, which the processes that this one starts copy, in a tenth of the CPU time. It is removed
 * when this process ends.
 */
export function createDataTemplate(): void {
  const bin = programsFolder()
  if (bin === '') return
  const folder = mkdtempSync(join(tmpdir(), 'quirl-postgres-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  if (serverUser !== undefined) chownSync(folder, serverUser.uid, serverUser.gid)
  const data = join(folder, 'pg')
  initialize(bin, data)
  process.env[DATA_TEMPLATE] = data
}

/** The folder of PostgreSQL's programs; empty if it is not installed. */
function programsFolder(): string {
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  const bin = status === 0 ? stdout.trim() : ''
  return existsSync(join(bin, 'initdb')) ? bin : ''
}

/** Creates the folder of a server's data: an empty one, or a copy of the server whose standby it is. */
function createData(bin: string, data: string, source: PostgresServer | undefined): void {
  const template = process.env[DATA_TEMPLATE]
  if (source !== undefined)
    runAsServer(join(bin, 'pg_basebackup'), [
      '-D',
      data,
      '-h',
      source.host,
      '-p',
      `${source.port}`,
      '-U',
      USER,
      ...COPY_OF_SOURCE,
    ])
  else if (template !== undefined) runAsServer('cp', ['-a', template, data])
  else initialize(bin, data)
}

const COPY_OF_SOURCE = ['-R', '-c', 'fast', '-X', 'stream', '--no-sync']

/** Creates the folder of an empty server's data. */
function initialize(bin: string, data: string): void {
  // Independent of the user's locale, which the machine may not have.
  const locale = ['--no-locale', '--encoding=UTF8']
  runAsServer(join(bin, 'initdb'), ['-D', data, '-U', USER, '-A', 'trust', '--no-sync', ...locale])
}

function runAsServer(program: string, args: string[]): void {
  const made = spawnSync(program, args, { ...serverUser, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
}

function childrenOf(process: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(process)], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** A backend may have ended meanwhile. */
function signal(to: number, name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  try {
    process.kill(to, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A zombie, whose parent does not wait for it, has ended. */
function isRunning(id: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(id)], { encoding: 'utf8' })
  return /^[^Z\s]/.test(stdout)
}

/** Starts a server that listens only on a Unix socket in a folder of its own. */
export async function startPostgres(
  ending: Ending,
  { standbyOf, port, settings = [], prepare = () => {} }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = serverFolder(ending)
  const data = join(folder, 'pg')
  const bin = programsFolder()
  createData(bin, data, standbyOf)
  prepare(data)
  const listens = port === undefined ? ['listen_addresses='] : ['listen_addresses=127.0.0.1', `port=${port}`]
  const set = [...listens, 'fsync=off', ...settings].flatMap((setting) => ['-c', setting])
  const options = ['-D', data, '-k', folder, ...set]
  let stop = async () => {}
  undoLater(ending, () => stop())
  const start = async () => {
    const keeper = spawn('sh', ['-c', KEEP, 'sh', join(bin, 'postgres'), ...options], {
      ...serverUser,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = new Promise((resolve) => keeper.once('exit', resolve))
    stop = async () => {
      keeper.stdin.end()
      await ended
    }
    // The socket exists before the server accepts connections.
    await poll(
      () => spawnSync(join(bin, 'pg_isready'), ['-q', '-h', folder, '-p', String(port ?? DEFAULT_PORT)]).status === 0,
    )
  }
  await start()
  const main = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  let stalled: number[] = []
  const resume = () => {
    for (const each of stalled.splice(0)) signal(each, 'SIGCONT')
  }
  const stall = () => {
    // First the one that starts the others.
    const first = main()
    signal(first, 'SIGSTOP')
    stalled = [first, ...childrenOf(first)]
    for (const each of stalled) signal(each, 'SIGSTOP')
  }
  // Before it is stopped for good, for which it has to run.
  undoLater(ending, resume)
  return {
    host: folder,
    socket: join(folder, `.s.PGSQL.${port ?? DEFAULT_PORT}`),
    port: port ?? DEFAULT_PORT,
    user: USER,
    start,
    async kill() {
      stall()
      const all = stalled.splice(0)
      for (const each of all) signal(each, 'SIGKILL')
      await stop()
      // A backend that still ends holds the shared memory, with which no server starts again.
      await poll(() => !all.some(isRunning))
    },
    stall,
    resume,
    execute: (statement, database) => execute({ host: folder, port: port ?? DEFAULT_PORT }, statement, database),
  }
}
