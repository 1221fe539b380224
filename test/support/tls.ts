import { once } from 'node:events'
import { request, type RequestOptions } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

export interface SecureAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** How long it took, connecting included, in milliseconds. */
  took: number
}

/** A request over HTTPS to loopback, as if `name` led there; the certificate must be good under `ca`. */
export async function askSecurely(
  port: number,
  name: string,
  path: string,
  ca: string,
  { body: sent, headers = {}, ...options }: RequestOptions & { body?: string; headers?: Record<string, string> } = {},
): Promise<SecureAnswer> {
  const started = performance.now()
  const asking = request({
    host: '127.0.0.1',
    port,
    path,
    servername: name,
    ca,
    agent: false,
    ...options,
    headers: Object.assign({ host: name }, headers),
  }).end(sent)
  const [response] = await once(asking, 'response')
  const body = await text(response)
  return { status: response.statusCode, headers: response.headers, body, took: performance.now() - started }
}

/** A finished handshake. */
export async function shakeHands(
  port: number,
  name: string,
  ca: string,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: name, ca, ...options })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** What a handshake showed; the connection is closed again. */
export async function seeHandshake(
  port: number,
  name: string,
  ca: string,
  options: ConnectionOptions = {},
): Promise<{ serial: string; names: string; isResumed: boolean; raw: Buffer }> {
  const socket = await shakeHands(port, name, ca, options)
  const { serialNumber, subjectaltname = '', raw } = socket.getPeerCertificate()
  const isResumed = socket.isSessionReused()
  socket.destroy()
  return { serial: serialNumber, names: subjectaltname, isResumed, raw }
}
