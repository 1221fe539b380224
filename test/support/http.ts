import { request, type IncomingHttpHeaders, type RequestOptions } from 'node:http'

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Of the body as it was sent. */
  bytes: number
}

/** Sends a request whose headers the test controls, also `Host`, which `fetch` does not allow. */
export function ask(url: string, options: RequestOptions & { body?: string | Buffer } = {}): Promise<RawAnswer> {
  const { body, ...rest } = options
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...rest }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).toString('utf8'),
          bytes: parts.reduce((sum, part) => sum + part.length, 0),
        }),
      )
    })
    // A server may close a connection that it has kept while the next request is on its way: that one may be sent again.
    sent.on('error', (error) => reject(Object.assign(error, { reusedSocket: sent.reusedSocket })))
    sent.end(body)
  })
}
