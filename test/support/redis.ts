import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { freePort } from './ports.ts'

/** Runs a program until the pipe from the tests is closed, as it also is when they are killed. */
const KEEP = 'trap "" INT TERM HUP; "$@" >&2 & server=$!; echo $server; cat; kill -9 $server; wait $server'

/** A server that stores nothing on the disk, whose process the test may kill. */
export interface RedisServer {
  /** As `REDIS_URL` has it. */
  url: string
  /** Its Unix socket. */
  socket: string
  start: () => Promise<void>
  /** Ends it at once, with all that it has. */
  kill: () => Promise<void>
  /** Runs commands on a connection of their own. */
  use: <T>(commands: (client: Redis) => Promise<T>) => Promise<T>
}

/** Starts a server in a folder of its own. */
export async function startRedis(ending: Ending, password?: string): Promise<RedisServer> {
  const folder = temporaryFolder(ending)
  const socket = join(folder, 'redis.sock')
  const port = await freePort()
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--unixsocket', socket, '--dir', folder]
  const auth = password === undefined ? [] : ['--requirepass', password]
  let kill = async () => {}
  undoLater(ending, () => kill())

  async function use<T>(commands: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis({ path: socket, ...(password !== undefined && { password }), retryStrategy: () => 20 })
    client.on('error', () => {})
    return commands(client).finally(() => client.disconnect())
  }

  async function start(): Promise<void> {
    const command = ['redis-server', ...options, ...auth, '--save', '', '--appendonly', 'no']
    const keeper = spawn('sh', ['-c', KEEP, 'sh', ...command], { stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = new Promise((resolve) => keeper.once('exit', resolve))
    kill = async () => {
      keeper.stdin.end()
      await ended
    }
    // Waits until it accepts connections.
    await use((client) => client.ping())
  }

  await start()
  const login = password === undefined ? '' : `:${password}@`
  return { url: `redis://${login}127.0.0.1:${port}`, socket, start, kill: () => kill(), use }
}
