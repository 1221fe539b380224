import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { connectRaw } from '../../test/support/raw.ts'
import { poll } from '../../test/support/poll.ts'
import { undoLater } from '../../test/support/cleanup.ts'
import { handleErrors } from './error-handler.ts'
import { Problem } from './problem.ts'

const unreachable = new Error('the store is away')

/** A request that fails with `error` after its client has disconnected. @returns the messages that were logged */
async function failUnheard(t: TestContext, error: Error, { isStopping = false } = {}): Promise<string[]> {
  const logged: string[] = []
  const loggerInstance: FastifyBaseLogger = pino(
    { level: 'warn' },
    { write: (line) => logged.push(JSON.parse(line).msg) },
  )
  const app: FastifyInstance = fastify({ loggerInstance })
  const failing = Promise.withResolvers<never>()
  let response: { destroyed: boolean } | undefined
  handleErrors(app, {
    monotonic: () => 0,
    unavailability: (cause) => (cause === unreachable ? 'the store cannot be reached' : undefined),
    pages: {},
    chargeNotFound: () => Promise.resolve(undefined),
  })
  app.get('/', (_request, { raw }) => {
    response = raw
    return failing.promise
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  undoLater(t, () => app.close())
  const { socket } = connectRaw(t, (app.server.address() as AddressInfo).port)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await poll(() => response !== undefined)
  socket.destroy()
  await poll(() => response?.destroyed === true)
  if (isStopping) await app.close()
  failing.reject(error)
  await setImmediate()
  return logged
}

test('that a client disconnects is not logged: not when its request leaves a queue, nor when the stop does not wait for it', async (t) => {
  assert.deepEqual(await failUnheard(t, new Problem('unavailable', 'the client has disconnected')), [])
  assert.deepEqual(await failUnheard(t, unreachable, { isStopping: true }), [])
})

test('a bug and an unreachable store are logged even if the client has disconnected', async (t) => {
  const bug = new Error('a bug')
  const logged = ['the error was logged under this request_id']
  assert.deepEqual(await failUnheard(t, bug), logged)
  assert.deepEqual(await failUnheard(t, bug, { isStopping: true }), logged)
  assert.deepEqual(await failUnheard(t, unreachable), ['the store cannot be reached'])
})
