import { once } from 'node:events'
import { request, type RequestOptions } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

export interface SecureAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** The duration including the connection, in milliseconds. */
  took: number
}

/** Sends an HTTPS request to loopback, as if `name` resolved to it; the certificate must be valid under `ca`. */
export async function askSecurely(
  port: number,
  name: string,
  path: string,
  ca: string,
  { body: sent, headers = {}, ...options }: RequestOptions & { body?: string; headers?: Record<string, string> } = {},
): Promise<SecureAnswer> {
  const started = performance.now()
  const sentRequest = request({
    host: '127.0.0.1',
    port,
    path,
    servername: name,
    ca,
    agent: false,
    ...options,
    headers: Object.assign({ host: name }, headers),
  }).end(sent)
  const [response] = await once(sentRequest, 'response')
  const body = await text(response)
  return { status: response.statusCode, headers: response.headers, body, took: performance.now() - started }
}

/** Connects, and resolves after the handshake. */
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

/** The certificate of a handshake, after which the connection is closed. */
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
