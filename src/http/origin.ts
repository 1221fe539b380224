import { isIP } from 'node:net'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { withoutRoot } from '../lib/host.ts'
import { isPrivateName } from '../lib/private-name.ts'
import { createLocalHosts, type Machine } from './local-hosts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The active domain that the request was sent to, in lower case; undefined on every other host. */
    customDomain?: string
  }
}

/** The public origins of the service. */
export interface Origin {
  /** The origin of the URLs in the response to a request: no path, no trailing slash. */
  of: (request: FastifyRequest) => string
  /** The same without a request. */
  own: () => string
  /** What precedes the path of a page of the service: nothing on its own host; undefined when that is unknown. */
  ofPages: (request: Pick<FastifyRequest, 'customDomain'>) => string | undefined
  /** Whether a URL leads back to the service, on its own host or an active custom domain. */
  owns: (url: URL) => boolean
  /** Whether a host name is the service's own, or an active custom domain. */
  isOwnHost: (host: string) => boolean
  /** Whether a host name is the service's own, which no stranger can make lead elsewhere. */
  isServiceHost: (host: string) => boolean
  /**
   * Whether no stranger can make a name lead here under which a browser sent this `Host`, so that it is no page of theirs
   * that reads the answer (DNS rebinding): an address, a name of this machine or of a private network, or the configured one.
   */
  isTrustedHost: (header: string | undefined) => boolean
  /** The first host that a request named and that is not of this machine; null while no origin was missed for one. */
  foreignHost: () => string | null
  /** The origins that reach the service when it listens at an address or a name: first the one for this machine. */
  reachableAt: (host: string) => string[]
}

/** A `Host` as browsers write it, long enough for every name. */
const hostHeader = /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/

const foreignHostWarning =
  'BASE_URL is unset, and a client has reached the service by this host: it was given URLs and QR codes of localhost, which nobody else can open; set BASE_URL to the public address'

interface OriginDeps {
  /** The configured origin. */
  baseUrl: string | undefined
  /** The port that the service listens on. */
  port: () => number
  /** Whether a registered custom domain leads here. */
  leadsHere: (name: string) => boolean
  machine: Machine
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * While no origin is configured, a request whose `Host` is one of this machine gets URLs of that host, so that they work
 * for a first try. Any other `Host` is not trusted.
 */
export function createOrigin({ baseUrl, port, leadsHere, machine, monotonic, log }: OriginDeps): Origin {
  const local = createLocalHosts(machine, monotonic)
  const own = baseUrl === undefined ? undefined : new URL(baseUrl)
  let foreignHost: string | null = null

  function originOfHost(header: string | undefined): string {
    const url = hostHeader.test(header ?? '') ? URL.parse(`http://${header}`) : null
    if (url !== null && local.has(url.hostname)) return url.origin
    if (url !== null) noteForeign(url.host)
    return `http://localhost:${port()}`
  }

  function noteForeign(host: string): void {
    if (foreignHost !== null) return
    foreignHost = host
    log.warn({ host }, foreignHostWarning)
  }

  const ownHost = own && withoutRoot(own.hostname)
  const isOwn = (host: string) => (ownHost === undefined ? local.has(host) : host === ownHost)

  return {
    own: () => baseUrl ?? originOfHost(undefined),
    of({ customDomain, headers }) {
      if (customDomain === undefined) return baseUrl ?? originOfHost(headers.host)
      // A custom domain has the scheme and port of the service.
      if (own !== undefined) return `${own.protocol}//${customDomain}${own.port && `:${own.port}`}`
      return `http://${headers.host}`
    },
    isTrustedHost: (header) => isTrusted(header, (host) => local.has(host) || host === ownHost),
    foreignHost: () => foreignHost,
    // A custom domain serves short links only.
    ofPages: ({ customDomain }) => (customDomain === undefined ? '' : baseUrl),
    reachableAt: (host) =>
      baseUrl === undefined ? local.of(host).map((each) => `http://${each}:${port()}`) : [baseUrl],
    // http and https of one host lead to the same service; another port may be another service.
    isOwnHost: (host) => isOwn(host) || leadsHere(host),
    isServiceHost: isOwn,
    owns(url) {
      const ownPort = own === undefined ? String(port()) : own.port
      const urlPort = own === undefined ? url.port || '80' : url.port
      const host = withoutRoot(url.hostname)
      return (isOwn(host) && urlPort === ownPort) || leadsHere(host)
    },
  }
}

/** @param isHere whether a name is of this machine or of the service */
function isTrusted(header: string | undefined, isHere: (host: string) => boolean): boolean {
  const url = hostHeader.test(header ?? '') ? URL.parse(`http://${header}`) : null
  if (url === null) return false
  const host = withoutRoot(url.hostname)
  // The parser has normalized every address.
  const isAddress = host.startsWith('[') || isIP(host) !== 0
  return isAddress || isPrivateName(host) || isHere(host)
}
