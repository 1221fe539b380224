import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { asObject, parseJsonBody } from '../http/body.ts'
import { Problem, problemBody } from '../http/problem.ts'

/**
 * What an operator can ask of the running service, by name: `quirl <command>` calls them through a socket in the data
 * folder. An operation takes and answers JSON; a `Problem` that it throws is what the operator reads.
 */
export type AdminOperations = Record<string, (input: Record<string, unknown>) => Promise<unknown>>

/** Who may reach the socket may do everything: the user that runs the service, and root. */
const SOCKET_MODE = 0o600

/** What `sockaddr_un` holds on the narrowest of the systems (macOS: 104 bytes with the final zero). */
const MAX_PATH_BYTES = 103

/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 10_000

/** How long operations that run are waited for when the socket is closed. */
const GRACE_MS = 1000

/** Where the service that uses `dataDir` listens for its operator. */
export function socketPath(dataDir: string): string {
  return resolve(dataDir, 'admin.sock')
}

/**
 * Hands `use` a path of the socket that is short enough for the system: a deep folder is reached through a link that
 * is there only while `use` runs.
 */
export async function reachSocket<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
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
 * Answers operators on the socket of `dataDir` until it is closed. What a former process has left there is replaced:
 * the caller holds the folder's lock.
 * @param onFault told of what an operation threw that is no `Problem`
 */
export async function openAdminSocket(
  dataDir: string,
  operations: AdminOperations,
  onFault: (error: unknown, operation: string) => void,
): Promise<{ close: () => Promise<void> }> {
  const path = socketPath(dataDir)
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const operation = (request.url ?? '').slice(1)
    void answer(operations, operation, request, response, (error) => onFault(error, operation))
  })
  rmSync(path, { force: true })
  await reachSocket(path, (reachable) => {
    const { promise, resolve: listening, reject } = Promise.withResolvers<void>()
    server.once('listening', listening).once('error', reject).listen(reachable)
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
        // Operations that run may end; each connection is for one.
        server.closeIdleConnections()
      }),
  }
}

async function answer(
  operations: AdminOperations,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  onFault: (error: unknown) => void,
): Promise<void> {
  const send = (status: number, body: string) => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
  }
  try {
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
    if (operation === undefined) throw new Problem('not_found', `this service has no operation "${name}"`)
    const result = await operation(asObject(parseJsonBody(await buffer(request))))
    send(200, JSON.stringify(result ?? null))
  } catch (error) {
    const problem =
      error instanceof Problem ? error : new Problem('internal_error', 'it failed; the log of the service says why')
    if (problem.status >= 500) onFault(error)
    send(problem.status, problemBody(problem, name))
  }
}
