import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { undoLater, type Ending } from './cleanup.ts'
import { freePort, listening } from './ports.ts'
import { serverFolder, serverUser, type PostgresServer } from './postgres.ts'

/** What docs/scale.md says that PgBouncer needs. */
const DOCUMENTED = 'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout'

/** Starts PgBouncer in transaction mode in front of a server, to which it opens few connections. @returns its port */
export async function startPgBouncer(t: Ending, { host, user }: PostgresServer): Promise<number> {
  const folder = serverFolder(t)
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${host} user=${user}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    DOCUMENTED,
  ]
  writeFileSync(settings, `${lines.join('\n')}\n`, { mode: 0o644 })
  const bouncer = spawn('pgbouncer', [settings], { ...serverUser, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  bouncer.stderr.on('data', (data) => (output += String(data)))
  const exited = once(bouncer, 'exit')
  undoLater(t, async () => {
    bouncer.kill('SIGKILL')
    await exited
  })
  await listening(port, () => (bouncer.exitCode === null ? undefined : `pgbouncer ended: ${output}`))
  return port
}
