import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { undoLater, type Ending } from './cleanup.ts'
import { freePort } from './ports.ts'

/** A publisher of lists on loopback. */
export interface ListServer {
  url: (path: string) => string
  /** Publishes a list at a path; its ETag consists of the content's length and start. */
  publish: (path: string, body: string | Buffer, headers?: Record<string, string>) => void
  /** Sets the handler of a path. */
  answer: (path: string, handler: (request: IncomingMessage, response: ServerResponse) => void) => void
  /** The statuses of all responses for a path so far. */
  statuses: (path: string) => number[]
  close: () => Promise<void>
}

export async function startListServer(t: Ending): Promise<ListServer> {
  const handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
  const answered: { path: string; status: number }[] = []
  const server = createServer((request, response) => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://x')
    // A kept connection would be reset when the server stops, instead of refused.
    response.shouldKeepAlive = false
    response.once('close', () => answered.push({ path, status: response.statusCode }))
    const handler = handlers.get(path)
    if (handler) handler(request, response)
    else response.writeHead(404).end('no such list')
  })
  // No other process takes this port after the server stops, so connections are refused.
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  undoLater(t, close)
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    publish(path, body, headers) {
      const validators = headers ?? { etag: `"${body.length}-${Buffer.from(body).toString('hex').slice(0, 40)}"` }
      handlers.set(path, (request, response) => {
        const isSame =
          (validators['etag'] !== undefined && request.headers['if-none-match'] === validators['etag']) ||
          (validators['last-modified'] !== undefined &&
            request.headers['if-modified-since'] === validators['last-modified'])
        response.writeHead(isSame ? 304 : 200, validators).end(isSame ? undefined : body)
      })
    },
    answer: (path, handler) => void handlers.set(path, handler),
    statuses: (path) => answered.filter((each) => each.path === path).map(({ status }) => status),
    close,
  }
}
