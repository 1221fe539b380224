import type { FastifyRequest } from 'fastify'

/** Where the service says that it is. */
export interface Origin {
  /** The origin that is written into the URLs of this request's answer: no path, no trailing slash. */
  of: (request: FastifyRequest) => string
  /** Whether an address, as WHATWG parses it, leads back to the service. */
  owns: (url: URL) => boolean
  /** Whether a host name is the service's own. */
  isOwnHost: (host: string) => boolean
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * @param baseUrl the configured origin. While it is unset, who calls by a loopback host gets that host back, so that
 * the URLs of a first try work as they are.
 */
export function createOrigin(baseUrl: string | undefined, port: () => number): Origin {
  const own = baseUrl === undefined ? undefined : new URL(baseUrl)
  return {
    of(request) {
      if (baseUrl !== undefined) return baseUrl
      const host = request.headers.host ?? ''
      return `http://${loopback.test(host) ? host : `localhost:${port()}`}`
    },
    // http and https of one host lead to the same service; another port may be another one.
    isOwnHost: (host) => host === own?.hostname,
    owns: (url) => own !== undefined && url.hostname === own.hostname && url.port === own.port,
  }
}
