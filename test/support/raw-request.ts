import type { Ending } from './cleanup.ts'
import { exchange } from './raw.ts'
import type { Sent } from './valid-requests.ts'

/** The bytes of a request, also of one that no client would send: a header of the value undefined is left out. */
export function bytesOf(
  { method, path, headers, body }: Sent,
  further: Record<string, string | undefined> = {},
): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all = Object.entries({ host: 'localhost', connection: 'close', ...length, ...headers, ...further })
  const lines = all.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** Sends bytes on a connection of their own, and reads the response as `fetch` would. */
export async function answerTo(t: Ending, port: number, bytes: string): Promise<Response> {
  return parseResponse(await exchange(t, port, Buffer.from(bytes), isStream))
}

/** A response whose end the connection does not wait for. */
function isStream(received: string): boolean {
  return /^content-type: text\/event-stream/im.test(received) && received.includes('\r\n\r\n')
}

/** @param received one character per byte */
export function parseResponse(received: string): Response {
  const end = received.indexOf('\r\n\r\n')
  const [first = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers = new Headers(lines.map((line) => /^([^:]+): ?(.*)$/.exec(line)?.slice(1) as [string, string]))
  const status = Number(first.split(' ')[1])
  if (!(status >= 200)) throw new Error(`no response: ${received.slice(0, 200)}`)
  const sent = received.slice(end + 4)
  const body = headers.get('transfer-encoding') === 'chunked' ? withoutChunks(sent) : sent
  return new Response(body === '' ? null : Buffer.from(body, 'latin1'), { status, headers })
}

/** RFC 9112, 7.1 */
function withoutChunks(sent: string): string {
  let rest = sent
  let body = ''
  for (;;) {
    const line = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, line), 16)
    if (!(length > 0)) return body
    body += rest.slice(line + 2, line + 2 + length)
    rest = rest.slice(line + length + 4)
  }
}
