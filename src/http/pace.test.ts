import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { listen } from '../../test/support/http-server.ts'
import { createPace } from './pace.ts'

test('past so many requests in a turn connections rest, a few go on in each turn, and all are answered', async (t) => {
  const pace = createPace(2)
  const perTurn = [0]
  const server = createServer((request, response) => {
    const requests = (perTurn.at(-1) ?? 0) + 1
    perTurn[perTurn.length - 1] = requests
    if (requests === 1) setImmediate(() => perTurn.push(0))
    response.end('done')
    pace(request.socket)
  })
  const port = await listen(t, server)
  const ask = async (socket: Socket) => {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
  }
  const clients = Array.from({ length: 30 }, async (_, at) => {
    const socket = connect(port, '127.0.0.1')
    undoLater(t, () => void socket.destroy())
    for (let count = 0; count < 10; count++) await ask(socket)
    // One that rests is not held on to.
    if (at % 2 === 0) socket.destroy()
  })
  await Promise.all(clients)
  assert.equal(
    perTurn.reduce((sum, each) => sum + each),
    300,
  )
  // Thirty would come in each; the first ones do, before anyone could rest.
  const [, ...later] = perTurn.toSorted((a, b) => b - a)
  assert.ok(
    later.slice(2).every((each) => each <= 10),
    later.slice(0, 20).join(),
  )
})
