import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { undoLater, type Ending } from './cleanup.ts'

/** Addresses of one attacker, who has a whole network: `127.0.1.1` and so on. Each is a client of its own. */
export const attackers = (count: number): string[] => Array.from({ length: count }, (_, at) => `127.0.1.${at + 1}`)

/** Addresses of as many networks. */
export const networks = (count: number): string[] => Array.from({ length: count }, (_, at) => `127.1.${at}.1`)

/** An address of another network. */
export const honest = (at = 1): string => `127.0.2.${at}`

export interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Sends a request from an address of loopback, on a connection of its own. */
export function fetchFrom(
  localAddress: string,
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
): Promise<Received> {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { localAddress, agent: false, method, headers: { ...headers, ...length } },
      (response) => {
        let text = ''
        response.on('data', (part) => (text += String(part)))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        response.once('error', reject)
      },
    )
    sent.once('error', reject).end(body)
  })
}

/** Sends JSON from an address of loopback. */
export function sendFrom(localAddress: string, url: string, body: object, method = 'POST'): Promise<Received> {
  return fetchFrom(localAddress, url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Opens a connection from an address of loopback, writes, and reads nothing: what arrives stays in the kernel. */
export function holdFrom(t: Ending, localAddress: string, url: string, bytes: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress }).pause()
  undoLater(t, () => void socket.destroy())
  socket.on('error', () => {}).write(bytes)
  return socket
}

/** Sends a request from an address of loopback, and does not read the response, which may never end. */
export function statusFrom(
  localAddress: string,
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { localAddress, agent: false, method, headers }, (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    sent.once('error', reject).end(body)
  })
}
