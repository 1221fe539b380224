import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { undoLater, type Ending } from './cleanup.ts'

/**
 * Starts an HTTP proxy that sends each request to the server whose port `choose` returns, with its headers as they are: all
 * tests come from one address, and those of other clients are in a header of the test.
 */
export async function startBalancer(t: Ending, choose: () => Promise<number>): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    choose().then(
      (port) => forward(agent, port, incoming, response),
      (error: unknown) => response.destroy(error as Error),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undoLater(t, async () => {
    server.closeAllConnections()
    agent.destroy()
    await server[Symbol.asyncDispose]()
  })
  return (server.address() as AddressInfo).port
}

function forward(agent: Agent, port: number, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url: path, rawHeaders: headers } = incoming
  const sent = request({ agent, host: '127.0.0.1', port, method, path, headers, setHost: false }, (received) => {
    response.writeHead(received.statusCode ?? 0, received.statusMessage, received.rawHeaders)
    response.flushHeaders()
    received.pipe(response, { end: false })
    // A client that has not sent its whole request reads no response if its connection is closed.
    received.on('end', () => {
      if (incoming.readableEnded) return response.end()
      incoming
        .unpipe(sent)
        .once('end', () => response.end())
        .resume()
    })
    received.on('error', () => response.destroy())
  })
  // A server may answer before it has read the whole request.
  sent.on('error', () => {
    if (!response.headersSent) response.destroy()
  })
  response.on('close', () => sent.destroy())
  incoming.pipe(sent)
}
