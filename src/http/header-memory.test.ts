import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { asHolder } from '../lib/holder.ts'
import { createHeaderMemory } from './header-memory.ts'

const LARGE = `X: ${'x'.repeat(15_000)}\r\n`
/** More fields take as much as large ones. */
const MANY = Array.from({ length: 98 }, (_, at) => `a${at}: \r\n`).join('')

test('past the limit, connections whose requests have large headers give way within their network, and none of another', async (t) => {
  let closed = 0
  const networkOf = ({ url = '' }: IncomingMessage) => asHolder(url.slice(1))
  const memory = createHeaderMemory(networkOf, () => closed++, 70_000)
  const server = createServer((request) => memory.add(request))
  server.on('connection', (socket) => socket.once('close', () => memory.remove(socket)))
  const port = await listen(t, server)
  const ask = (path: string, fields: string) => {
    const connection = connectRaw(t, port)
    connection.socket.write(`GET /${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`)
    return connection
  }
  const honest = ask('203.0.113.7', LARGE)
  await poll(() => memory.bytes() > 15_000)
  const small = ask('198.51.100.9', '')
  const flooding = [ask('198.51.100.1', MANY)]
  await poll(() => memory.bytes() > 25_000)
  for (let at = 2; at < 6; at++) {
    flooding.push(ask('198.51.100.1', LARGE))
    await poll(() => memory.bytes() > (25 + 15 * Math.min(at - 1, 2)) * 1000)
  }
  await flooding[0]?.closed
  await flooding[1]?.closed
  await poll(() => closed === 2)
  assert.ok(memory.bytes() <= 70_000)
  for (const { socket } of [honest, small, ...flooding.slice(2)]) assert.equal(socket.destroyed, false)
  // While memory is short, there is room for less.
  memory.share.tighten()
  await flooding[2]?.closed
  for (const { socket } of [honest, small]) assert.equal(socket.destroyed, false)
})
