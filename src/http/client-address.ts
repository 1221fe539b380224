import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Network } from '../lib/network.ts'

/** What proxies add to a request that they pass on. */
const passedOn = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']

/** Finds out whom a request is from. */
export interface ClientAddress {
  /**
   * The visitor's address, IPv6 shortened to its /64, which one household shares; mapped IPv4 as IPv4. To be kept
   * in memory for the length of a request only.
   */
  of: (request: IncomingMessage) => string
  /** Whether the request came through a proxy whose headers are believed. */
  isProxied: (request: IncomingMessage) => boolean
  /** Whether this machine or a trusted network made the request itself: a proxy that passes one on says so in a header. */
  isInternal: (request: IncomingMessage) => boolean
}

/**
 * @param trusted the proxies whose `X-Forwarded-For` is believed: it is walked from the right while the address that
 * it was told by is one of them; an entry that is no address, with or without a port, ends the walk
 * @param onIgnored called once, when the header comes from a private address that is not trusted: most likely a proxy
 * that was forgotten
 */
export function createClientAddress(trusted: Network[], onIgnored: () => void): ClientAddress {
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    trusted.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
  let warned = false

  function warnOnce(address: ipaddr.IPv4 | ipaddr.IPv6): void {
    if (warned || address.range() === 'unicast') return
    warned = true
    onIgnored()
  }

  function walk(peer: string, forwarded: string): string {
    let address = ipaddr.process(peer)
    const entries = forwarded.split(',')
    if (!isTrusted(address)) warnOnce(address)
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
      return peer.includes(':') ? shorten(ipaddr.process(peer)) : peer
    },
    isProxied: ({ socket }) =>
      trusted.length > 0 && socket.remoteAddress !== undefined && isTrusted(ipaddr.process(socket.remoteAddress)),
    isInternal({ socket, headers }) {
      if (socket.remoteAddress === undefined || passedOn.some((name) => headers[name] !== undefined)) return false
      const address = ipaddr.process(socket.remoteAddress)
      return address.range() === 'loopback' || isTrusted(address)
    },
  }
}

/** Some proxies add the port that the request came from; an IPv6 address then stands in brackets, as in a URL. */
function withoutPort(entry: string): string {
  const [, four, six] = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i.exec(entry) ?? []
  return four ?? six ?? entry
}

function shorten(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address.kind() === 'ipv4') return address.toString()
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4)
  return `${parts.map((part) => part.toString(16)).join(':')}::`
}
