import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { undoLater, type Ending } from './cleanup.ts'

/** Longer than the 10 seconds that the servers announce, for which a client uses an idle connection again. */
const KEEP_ALIVE_MS = 60_000

/**
 * Starts an HTTP proxy that sends each request to the server whose port `choose` returns, with its headers as they are: all
 * tests come from one address, and those of other clients are in a header of the test.
 * @param port to listen on; by default any
 * @returns the port
 */
export async function startBalancer(t: Ending, choose: (path: string) => Promise<number>, port = 0): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    choose(incoming.url ?? '')
      .then((port) => forward(agent, port, incoming, response))
      .catch((error: unknown) => response.writeHead(502).end(`the balancer: ${String(error)}`))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  undoLater(t, async () => {
    server.closeAllConnections()
    agent.destroy()
    await server[Symbol.asyncDispose]()
  })
  return (server.address() as AddressInfo).port
}

/** Sends the whole request at once: a server that refuses a body may close the connection before it has read all of it. */
async function forward(agent: Agent, port: number, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(incoming)
  const { method, url: path, rawHeaders } = incoming
  // The agent would announce a body in chunks for a POST that has none, as curl sends it.
  const isBare = method === 'POST' && body.length === 0 && incoming.headers['content-length'] === undefined
  const headers = isBare ? [...rawHeaders, 'content-length', '0'] : rawHeaders
  const sent = request({ agent, host: '127.0.0.1', port, method, path, headers, setHost: false }, (received) => {
    response.writeHead(received.statusCode ?? 0, received.statusMessage, received.rawHeaders)
    response.flushHeaders()
    received.pipe(response)
    received.on('error', () => response.destroy())
  })
  sent.on('error', () => {
    if (!response.headersSent) response.destroy()
  })
  response.on('close', () => sent.destroy())
  sent.end(body)
}
