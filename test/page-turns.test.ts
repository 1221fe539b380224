import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { connectRaw } from './support/raw.ts'
import { create, startServer, type TestServer } from './support/server.ts'

const FLOOD = 80
const OTHER = '198.51.100.7'

/** Asks for a page many times from one network, and then once from another, all at once; returns how many came before that one. */
async function placeOfOther(t: TestContext, path: string, { url }: TestServer): Promise<number> {
  const { port } = new URL(url)
  const addresses = [...Array.from({ length: FLOOD }, (_, at) => `192.0.2.${at + 1}`), OTHER]
  const connections = addresses.map((address) => ({ address, ...connectRaw(t, Number(port)) }))
  const requestOf = (what: string, address: string) =>
    `GET ${what} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`
  // The server has accepted each of them before the first asks for the page.
  const accepted = connections.map(({ address, socket }) => {
    socket.write(requestOf('/healthz', address))
    return once(socket, 'data')
  })
  await Promise.all(accepted)
  const order: string[] = []
  const whole = connections.map(({ address, socket, received }) => {
    received()
    socket.write(requestOf(path, address))
    return once(socket, 'data').then(() => {
      order.push(address)
      assert.match(received(), /HTTP\/1\.1 200[^]*HTTP\/1\.1 200/)
    })
  })
  await Promise.all(whole)
  return order.indexOf(OTHER)
}

test('a network that asks for a page many times at once does not keep another waiting for all of them', async (t) => {
  const server = await startServer(t, { TRUST_PROXY: '127.0.0.0/8' })
  const links = Array.from({ length: 100 }, (_, at) => ({ label: 'Menu', url: `https://example.com/${at}` }))
  const { code, token } = await create(server, { kind: 'page', headline: 'Bakery', links })
  for (const path of [`/${code}`, `/m/${token}`]) {
    const place = await placeOfOther(t, path, server)
    assert.ok(place < FLOOD / 2, `${path.slice(0, 3)}: after ${place} of ${FLOOD}`)
  }
})
