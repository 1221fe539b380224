import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { reachSocket, socketPath } from './socket.ts'
import { StartError } from '../lib/start-error.ts'

/** An operation may work through everything that is stored. */
const TIMEOUT_MS = 600_000

/** Runs one of the service's operations (`AdminOperations`) and answers what it answered. */
export type Ask = (operation: string, input?: object) => Promise<unknown>

/** No service runs on the data folder. */
export class NotRunning extends StartError {}

/** Asks the service that runs on `dataDir`. */
export function createAsk(dataDir: string): Ask {
  return async (operation, input = {}) => {
    const { status, body } = await post(dataDir, operation, JSON.stringify(input))
    const answer = JSON.parse(body) as unknown
    if (status === 200) return answer
    throw new StartError((answer as { detail: string }).detail)
  }
}

function post(dataDir: string, operation: string, body: string): Promise<{ status: number; body: string }> {
  const path = socketPath(dataDir)
  return reachSocket(
    path,
    (reachable) =>
      new Promise((resolve, reject) => {
        const asking = request({
          socketPath: reachable,
          path: `/${operation}`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          timeout: TIMEOUT_MS,
        })
        asking.once('response', (response) => {
          text(response).then((answered) => resolve({ status: response.statusCode ?? 0, body: answered }), reject)
        })
        asking.once('timeout', () => asking.destroy(new Error('it does not answer')))
        asking.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, dataDir)))
        asking.end(body)
      }),
  )
}

function explain(error: NodeJS.ErrnoException, dataDir: string): StartError {
  const nobody = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(error.code ?? '')
  if (nobody) {
    return new NotRunning(`no quirl is running on DATA_DIR=${dataDir}: start it, or name its folder with --data-dir`)
  }
  const reason = ['EACCES', 'EPERM'].includes(error.code ?? '') ? 'only the user that runs it may' : error.message
  return new StartError(`the quirl that runs on DATA_DIR=${dataDir} cannot be asked: ${reason}`, { cause: error })
}
