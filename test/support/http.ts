import { request, type IncomingHttpHeaders, type RequestOptions } from 'node:http'

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** A request whose every header is the test's, `Host` included, which `fetch` keeps to itself. */
export function ask(url: string, options: RequestOptions & { body?: string } = {}): Promise<RawAnswer> {
  const { body, ...rest } = options
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, ...rest }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).toString('utf8'),
        }),
      )
    })
    asking.on('error', reject)
    asking.end(body)
  })
}
