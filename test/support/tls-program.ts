import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestAuthority } from './acme.ts'
import { temporaryFolder, type Ending } from './cleanup.ts'
import { poll } from './poll.ts'
import { freePort } from './ports.ts'
import { run, type Running } from './processes.ts'
import { program } from './program.ts'
import { shakeHands } from './tls.ts'

/** The program with `--tls`, started as an operator does. */
export interface TlsProgram {
  running: Running
  httpsPort: number
  dataDir: string
}

interface TlsProgramOptions {
  host: string
  authority: TestAuthority
  /** The port on which the authority validates. */
  httpPort: number
  env?: Record<string, string>
  dataDir?: string
}

/** Starts it, and waits for the line with its address. */
export async function startTlsProgram(
  t: Ending,
  { host, authority, httpPort, env = {}, dataDir = temporaryFolder(t) }: TlsProgramOptions,
): Promise<TlsProgram> {
  const httpsPort = await freePort()
  const args = ['serve', '--tls', `--base-url=https://${host}`, '--host=127.0.0.1', `--http-port=${httpPort}`]
  const running = run(t, process.execPath, [program, ...args, `--https-port=${httpsPort}`, `--data-dir=${dataDir}`], {
    ACME_DIRECTORY: authority.directory,
    NODE_EXTRA_CA_CERTS: authority.trustFile,
    GEOIP_DB: 'off',
    ...env,
  })
  await poll(() => running.ended() !== undefined || running.output().includes(' serves '), running.output)
  assert.equal(running.ended(), undefined)
  return { running, httpsPort, dataDir }
}

/** Makes a request and returns a session that can be resumed. */
export async function sessionOf(
  port: number,
  name: string,
  ca: string,
  version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3',
): Promise<Buffer> {
  const socket = await shakeHands(port, name, ca, { minVersion: version, maxVersion: version })
  const session = once(socket, 'session') as Promise<[Buffer]>
  socket.write(`GET /healthz HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
  const [ticket] = version === 'TLSv1.2' ? [socket.getSession() ?? Buffer.alloc(0)] : await session
  await once(socket, 'data')
  socket.destroy()
  return ticket
}
