import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { createRunQueries } from './dns-query.ts'

/** As many addresses as a response of 64 KiB has room for. */
const MANY = 4_000

/** The response to a question with many addresses; none of them repeats. */
function manyAddresses(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  for (const [at, count] of [1, MANY, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at)
  const answers = Array.from({ length: MANY }, (_, at) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 100, 1, at >> 8, at & 255]),
  )
  return Buffer.concat([header, query.subarray(12, end), ...answers])
}

/** A server that answers each question over TCP, where responses have room. @returns its address */
async function startLargeDns(t: Parameters<typeof undoLater>[0]): Promise<string> {
  const tcp = createServer((socket) =>
    socket
      .on('error', () => {})
      .on('data', (query: Buffer) => {
        const response = manyAddresses(query.subarray(2))
        const length = Buffer.alloc(2)
        length.writeUInt16BE(response.length)
        socket.write(Buffer.concat([length, response]))
      }),
  ).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as { port: number }
  const udp = createSocket('udp4')
  udp.on('message', (query, from) => {
    const truncated = Buffer.from(query)
    truncated.writeUInt16BE(0x8380, 2)
    udp.send(truncated, from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  undoLater(t, () => {
    udp.close()
    tcp.close()
  })
  return `127.0.0.1:${port}`
}

test('large answers are parsed on a thread of their own, and no more than a few of their records are passed on', async (t) => {
  const server = await startLargeDns(t)
  const query = createRunQueries([server])
  const found = await query((queries) => queries.addressesOf('large.example.com'))
  assert.equal(found.length, 100)
  const [before, own] = [process.cpuUsage(), process.threadCpuUsage()]
  for (let at = 0; at < 8; at++) await query((queries) => queries.addressesOf(`large${at}.example.com`))
  const [all, main] = [process.cpuUsage(before), process.threadCpuUsage(own)]
  const [ofAll, ofMain] = [all, main].map(({ user, system }) => user + system) as [number, number]
  assert.ok(ofMain < ofAll / 2, `${ofMain} of ${ofAll} µs`)
})
