import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Network } from '../lib/network.ts'
import { withoutZone } from '../lib/without-zone.ts'

/** Headers that proxies add to requests that they forward. */
const forwardingHeaders = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']

export const untrustedProxyWarning =
  'X-Forwarded-For comes from a private address that is not in TRUST_PROXY and is ignored: if that is your proxy, name it there'

/** The ranges in which a proxy of the operator may be: others, such as 6to4 and Teredo, are of the public internet. */
const privateRanges: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'carrierGradeNat',
  'uniqueLocal',
])

/** What of a request says who sent it. */
type Sent = Pick<IncomingMessage, 'headers'> & { socket: Pick<Socket, 'remoteAddress'> }

/** Determines which client sent a request. */
export interface ClientAddress {
  /**
   * The client's address: IPv6 cut to its /64, which one household shares; what stands for IPv4 as IPv4. Callers keep it in
   * memory for the duration of a request only.
   */
  of: (request: Sent) => string
  /** Whether the request came through a trusted proxy. */
  isProxied: (request: Pick<Sent, 'socket'>) => boolean
  /** Whether this machine or a trusted network sent the request itself: a proxy that forwards one adds a header. */
  isInternal: (request: Sent) => boolean
  /** What `of` has seen of proxies since the start. */
  forwarding: () => {
    /** The last private address that is not trusted and whose `X-Forwarded-For` was ignored. */
    ignored: string | null
    /** Whether a trusted proxy has forwarded a request. */
    isSeen: boolean
  }
}

/**
 * @param trusted the proxies whose `X-Forwarded-For` is trusted. The header is walked from the right while the address
 * that added an entry is one of them; an entry that is not an address, with or without a port, ends the walk.
 * @param onIgnored called once, when the header comes from a private address that is not trusted: most likely a proxy
 * that the operator has not configured
 */
export function createClientAddress(trusted: Network[], onIgnored: () => void): ClientAddress {
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    trusted.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
  let ignored: string | null = null
  let isSeen = false

  function noteIgnored(address: ipaddr.IPv4 | ipaddr.IPv6): void {
    if (!privateRanges.has(address.range())) return
    if (ignored === null) onIgnored()
    ignored = address.toString()
  }

  function walk(peer: string, forwarded: string): string {
    let address = addressOf(peer)
    const entries = forwarded.split(',')
    if (isTrusted(address)) isSeen = true
    else noteIgnored(address)
    while (isTrusted(address)) {
      const entry = withoutPort(entries.pop()?.trim() ?? '')
      if (!ipaddr.isValid(entry)) break
      address = ipaddr.process(entry)
    }
    return shorten(address)
  }

  return {
    of({ socket, headers }) {
      const peer = socket.remoteAddress ?? ''
      const forwarded = headers['x-forwarded-for']
      if (typeof forwarded === 'string' && peer !== '') return walk(peer, forwarded)
      return clientOf(peer)
    },
    isProxied: ({ socket }) =>
      trusted.length > 0 && socket.remoteAddress !== undefined && isTrusted(addressOf(socket.remoteAddress)),
    isInternal({ socket, headers }) {
      if (socket.remoteAddress === undefined || forwardingHeaders.some((name) => headers[name] !== undefined))
        return false
      const address = addressOf(socket.remoteAddress)
      return address.range() === 'loopback' || isTrusted(address)
    },
    forwarding: () => ({ ignored, isSeen }),
  }
}

/** The client with the address of a connection: IPv6 cut to its /64, what stands for IPv4 as IPv4. */
export function clientOf(peer: string): string {
  return peer.includes(':') ? shorten(addressOf(peer)) : peer
}

const addressOf = (peer: string) => ipaddr.process(withoutZone(peer))

const [translated] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const [sixToFour] = ipaddr.IPv6.parseCIDR('2002::/16')

function fourOf(parts: number[]): string {
  return parts.flatMap((part) => [part >> 8, part & 255]).join('.')
}

/** Some proxies add the client's port, and then put an IPv6 address in brackets, as in a URL. */
function withoutPort(entry: string): string {
  const [, four, six] = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i.exec(entry) ?? []
  return four ?? six ?? entry
}

/**
 * IPv6 cut to its /64. What a translator in front of a server without IPv4 makes of an IPv4 address (RFC 6052), and a 6to4 address
 * (RFC 3056), counts as that IPv4 address: else all clients of the translator were one, and each IPv4 address a network.
 */
function shorten(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address.kind() === 'ipv4') return address.toString()
  const { parts } = address as ipaddr.IPv6
  if (address.match(translated, 96)) return fourOf(parts.slice(6))
  if (address.match(sixToFour, 16)) return fourOf(parts.slice(1, 3))
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::`
}
