import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { StoreBusy, StoreUnavailable } from '../db/unavailable.ts'
import { openOperatorSocket, socketPath } from './socket.ts'

test('an operation that the store keeps from working is answered as unavailable, and another failure as an internal error', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'quirl-'))
  const failing = (error: Error) => () => Promise.reject(error)
  const operations = {
    busy: failing(new StoreBusy('PostgreSQL: canceled')),
    away: failing(new StoreUnavailable('PostgreSQL: Connection terminated due to connection timeout')),
    broken: failing(new Error('a mistake')),
  }
  const logged: string[] = []
  const socket = await openOperatorSocket(dataDir, operations, (_error, operation) => logged.push(operation))
  undoLater(t, async () => {
    await socket.close()
    rmSync(dataDir, { recursive: true })
  })
  const ask = async (name: string) => {
    const sent = request({ socketPath: socketPath(dataDir), path: `/${name}`, method: 'POST' }).end('{}')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { code, detail } = JSON.parse(await text(response)) as { code: string; detail: string }
    return [response.statusCode, code, detail.split(/[,:]/)[0]]
  }
  assert.deepEqual(await ask('busy'), [503, 'unavailable', 'other work on PostgreSQL has what it needs'])
  assert.deepEqual(await ask('away'), [503, 'unavailable', 'the store does not answer as it should'])
  assert.deepEqual(await ask('broken'), [500, 'internal_error', 'the operation failed'])
  assert.deepEqual(logged, ['busy', 'away', 'broken'])
})
