import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { closeStillConnections } from './still-connections.ts'

test('a connection that sends line ends and no request is closed, and one that is answered is not', async (t) => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => response.end('<served>'))
  closeStillConnections(server, { afterMs: 300, everyMs: 30 })
  const port = await listen(t, server)
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

  const [idle, busy] = [connectRaw(t, port), connectRaw(t, port)]
  idle.socket.write(request)
  await poll(() => idle.received().includes('<served>'))
  const answers = () => busy.received().split('<served>').length - 1
  for (let asked = 0; !idle.socket.closed; asked++) {
    idle.socket.write('\r\n')
    busy.socket.write(request)
    await poll(() => answers() === asked + 1)
  }
  assert.equal(busy.socket.destroyed, false)
})
