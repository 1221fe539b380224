import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { clientOf } from '../http/client-address.ts'
import { asHolder } from '../lib/holder.ts'
import { createHttpsPolicy } from './https-policy.ts'

const holderOf = ({ socket }: IncomingMessage) => asHolder(clientOf(socket.remoteAddress ?? ''))

/** A server whose look-ups of challenges wait until they are told what they find. */
async function serve(t: TestContext) {
  const lookedUp: { token: string; resolve: (found: string | undefined) => void }[] = []
  const challenge = (token: string) =>
    new Promise<string | undefined>((resolve) => void lookedUp.push({ token, resolve }))
  const origin = 'https://go.example.com'
  const apply = createHttpsPolicy({ origin, host: 'go.example.com', statusOf: () => undefined, challenge, holderOf })
  const server = createServer((received, response) => void apply(received, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    lookedUp,
    /** @returns the status of the response to a challenge, and when it may be asked for again */
    ask: async (token: string, localAddress: string) => {
      const path = `/.well-known/acme-challenge/${token}`
      const sent = request({ host: '127.0.0.1', port, path, localAddress, agent: false }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return { status: response.statusCode, retryAfter: response.headers['retry-after'] }
    },
  }
}

test('a hundred responses to challenges are looked up at a time, and a network that asks for more keeps no authority out', async (t) => {
  const { lookedUp, ask } = await serve(t)
  const flood = Array.from({ length: 130 }, (_, at) => ask(`flood-${at}`, `127.1.1.${1 + (at % 50)}`))
  assert.deepEqual(await Promise.any(flood), { status: 503, retryAfter: '1' })
  const answered = ask('token', '127.9.9.9')
  while (lookedUp.at(-1)?.token !== 'token') await setImmediate()
  assert.equal(lookedUp.length, 101)
  for (const { token, resolve } of lookedUp) resolve(token === 'token' ? 'answer' : undefined)
  assert.equal((await answered).status, 200)
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  assert.deepEqual(
    [404, 503].map((status) => statuses.filter((each) => each === status).length),
    [99, 31],
  )
})
