import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Ending } from './cleanup.ts'
import { listen } from './http-server.ts'

/** A request that a receiver has got. */
export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The parsed body. */
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A receiver of webhooks on all addresses of loopback. */
export interface Receiver {
  port: number
  received: Received[]
  /** Answers each request; 204 unless a test replaces it. */
  respond: Respond
}

export async function startReceiver(t: Ending): Promise<Receiver> {
  const receiver: Receiver = { port: 0, received: [], respond: (response) => void response.writeHead(204).end() }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request
      const event = body === '' ? {} : (JSON.parse(body) as object)
      receiver.received.push({ method, path, headers, body, event: event as Received['event'] })
      receiver.respond(response, request)
    })
  })
  receiver.port = await listen(t, server, '0.0.0.0')
  return receiver
}
