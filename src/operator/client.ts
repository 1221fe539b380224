import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { socketPath, withShortPath } from './socket.ts'
import { StartError } from '../lib/start-error.ts'

/** Some operations process everything in the store. */
const TIMEOUT_MS = 600_000

/**
 * Calls one of the service's operations (`OperatorOperations`) and returns its result.
 * @param signal has it no longer wait for the result
 * @throws {StartError} with the detail of the operation's `Problem`, or when the service cannot be reached
 */
export type CallOperation = (operation: string, input?: object, signal?: AbortSignal) => Promise<unknown>

/** No service runs on the data folder. */
export class NotRunning extends StartError {}

/** A client of the service that runs on `dataDir`. */
export function createOperatorClient(dataDir: string): CallOperation {
  return async (operation, input = {}, signal) => {
    const { status, body } = await post(dataDir, operation, JSON.stringify(input), signal)
    const result = JSON.parse(body) as unknown
    if (status === 200) return result
    throw new StartError((result as { detail: string }).detail)
  }
}

function post(
  dataDir: string,
  operation: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number; body: string }> {
  const path = socketPath(dataDir)
  return withShortPath(
    path,
    (shortPath) =>
      new Promise((resolve, reject) => {
        const outgoing = request({
          socketPath: shortPath,
          path: `/${operation}`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          timeout: TIMEOUT_MS,
          signal,
        })
        outgoing.once('response', (response) => {
          text(response).then((received) => resolve({ status: response.statusCode ?? 0, body: received }), reject)
        })
        outgoing.once('timeout', () => outgoing.destroy(new Error('the request timed out')))
        outgoing.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, dataDir)))
        outgoing.end(body)
      }),
  )
}

function explain(error: NodeJS.ErrnoException, dataDir: string): StartError {
  const isNotRunning = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(error.code ?? '')
  if (isNotRunning) {
    return new NotRunning(`no quirl is running on DATA_DIR=${dataDir}: start it, or pass its folder with --data-dir`)
  }
  const reason = ['EACCES', 'EPERM'].includes(error.code ?? '') ? 'only the user that runs it may' : error.message
  return new StartError(`cannot reach the quirl that runs on DATA_DIR=${dataDir}: ${reason}`, { cause: error })
}
