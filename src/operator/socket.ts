import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { asObject, parseJsonBody } from '../http/body.ts'
import { Problem, problemBody } from '../http/problem.ts'
import { isBusy, isUnavailable } from '../db/unavailable.ts'
import { ownValue } from '../lib/own-value.ts'

/**
 * The operations of the running service by name. `quirl <command>` calls them through a socket in the data folder.
 * Input and result are JSON; the command prints the detail of a `Problem` that an operation throws.
 */
export type OperatorOperations = Record<string, (input: Record<string, unknown>) => Promise<unknown>>

/** Access to the socket is access to every operation: only the user that runs the service, and root. */
const SOCKET_MODE = 0o600

/** The smallest `sockaddr_un` path of all systems (macOS: 104 bytes with the final zero). */
const MAX_PATH_BYTES = 103

/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 10_000

/** How long `close` waits for running operations. */
const GRACE_MS = 1000

/** The socket for the commands of the service that uses `dataDir`. */
export function socketPath(dataDir: string): string {
  return resolve(dataDir, 'admin.sock')
}

/**
 * Passes `use` a path of the socket that is short enough for the system. For a deep folder that is a temporary symbolic
 * link, which is removed when `use` has finished.
 */
export async function withShortPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return use(path)
  const folder = mkdtempSync(join(tmpdir(), 'quirl-'))
  try {
    symlinkSync(dirname(path), join(folder, 'd'))
    return await use(join(folder, 'd', 'admin.sock'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Serves the operations on the socket of `dataDir` until it is closed. A socket that a former process left behind is
 * replaced: the caller holds the folder's lock.
 * @param onError called with unexpected errors of operations
 */
export async function openOperatorSocket(
  dataDir: string,
  operations: OperatorOperations,
  onError: (error: unknown, operation: string) => void,
): Promise<{ close: () => Promise<void> }> {
  const path = socketPath(dataDir)
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const operation = (request.url ?? '').slice(1)
    void handle(operations, operation, request, response, (error) => onError(error, operation))
  })
  rmSync(path, { force: true })
  await withShortPath(path, (shortPath) => {
    const { promise, resolve: listening, reject } = Promise.withResolvers<void>()
    server.once('listening', listening).once('error', reject).listen(shortPath)
    return promise.then(() => chmodSync(path, SOCKET_MODE))
  })
  return {
    close: () =>
      new Promise((closed, failed) => {
        const deadline = setTimeout(() => server.closeAllConnections(), GRACE_MS)
        server.close(() => {
          clearTimeout(deadline)
          try {
            rmSync(path, { force: true })
            closed()
          } catch (error) {
            failed(error)
          }
        })
        // Running operations may finish: each connection carries one request.
        server.closeIdleConnections()
      }),
  }
}

async function handle(
  operations: OperatorOperations,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  const send = (status: number, body: string) => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
  }
  try {
    const operation = ownValue(operations, name)
    if (operation === undefined) throw new Problem('not_found', `this service has no operation "${name}"`)
    const result = await operation(asObject(parseJsonBody(await buffer(request))))
    send(200, JSON.stringify(result ?? null))
  } catch (error) {
    const problem = error instanceof Problem ? error : failureOf(error)
    if (problem.status >= 500) onError(error)
    send(problem.status, problemBody(problem, name))
  }
}

function failureOf(error: unknown): Problem {
  if (!isUnavailable(error)) return new Problem('internal_error', 'the operation failed: see the log of the service')
  const detail = isBusy(error)
    ? 'other work on PostgreSQL has what it needs, rows or connections, and did not end in time: try again'
    : 'the store does not answer as it should, and whether anything was changed is not known: see the log of the service'
  return new Problem('unavailable', detail)
}
