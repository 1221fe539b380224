import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import { createHiddenMemory } from './hidden-memory.ts'

test('while what the kernel has for connections is short, those from which most was read leave it, of the largest network, and none of a proxy', async (t) => {
  const reset: (string | undefined)[] = []
  const isProxied = ({ remoteAddress }: Socket) => remoteAddress === '127.0.9.9'
  const hidden = createHiddenMemory(isProxied, (socket) => reset.push(socket.remoteAddress))
  const accepted: Socket[] = []
  const server = createServer((socket) => void accepted.push(socket.resume()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  undoLater(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  const send = async (localAddress: string, bytes: number) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    undoLater(t, () => void socket.destroy())
    await once(server, 'connection')
    if (bytes > 0) socket.write(Buffer.alloc(bytes))
    await poll(() => accepted.at(-1)?.bytesRead === bytes)
  }
  await send('127.0.9.9', 64 * 1024 * 1024)
  for (let at = 1; at <= 20; at++) await send(`127.0.1.${at}`, 4 * 1024 * 1024)
  await send('127.0.2.1', 4 * 1024 * 1024)
  await send('127.0.3.1', 0)
  for (const socket of accepted) hidden.note(socket)
  for (let times = 0; times < 100; times++) hidden.share.tighten()
  assert.ok(reset.length >= 19, `${reset.length} reset`)
  for (const address of reset.slice(0, 19)) assert.match(address ?? '', /^127\.0\.1\./)
  assert.equal(reset.includes('127.0.9.9') || reset.includes('127.0.3.1'), false)
  await send('127.0.4.1', 64 * 1024 * 1024)
  hidden.note(accepted.at(-1) as Socket)
  assert.equal(reset.at(-1), '127.0.4.1', 'there is no room for more yet')
  hidden.share.relax()
  const before = reset.length
  await send('127.0.5.1', 64 * 1024 * 1024)
  hidden.note(accepted.at(-1) as Socket)
  assert.equal(reset.length, before)
})
