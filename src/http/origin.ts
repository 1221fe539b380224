import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The registered domain that the request was sent to, in lower case; undefined on the service's own host. */
    customDomain?: string
  }
}

/** Where the service says that it is. */
export interface Origin {
  /** The origin that is written into the URLs of this request's answer: no path, no trailing slash. */
  of: (request: FastifyRequest) => string
  /** Whether an address, as WHATWG parses it, leads back to the service, on its own host or an active custom domain. */
  owns: (url: URL) => boolean
  /** Whether a host name is the service's own, or a registered custom domain. */
  isOwnHost: (host: string) => boolean
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * @param baseUrl the configured origin. While it is unset, who calls by a loopback host gets that host back, so that
 * the URLs of a first try work as they are.
 * @param statusOf the status of a registered custom domain
 */
export function createOrigin(
  baseUrl: string | undefined,
  port: () => number,
  statusOf: (name: string) => string | undefined,
): Origin {
  const own = baseUrl === undefined ? undefined : new URL(baseUrl)
  return {
    of(request) {
      // A custom domain is reached as the service is. What is printed must not change with the domain's status.
      if (request.customDomain !== undefined && own !== undefined) {
        return `${own.protocol}//${request.customDomain}${own.port && `:${own.port}`}`
      }
      if (request.customDomain !== undefined) return `http://${request.headers.host}`
      if (baseUrl !== undefined) return baseUrl
      const host = request.headers.host ?? ''
      return `http://${loopback.test(host) ? host : `localhost:${port()}`}`
    },
    // http and https of one host lead to the same service; another port may be another one.
    isOwnHost: (host) => host === own?.hostname || statusOf(host) !== undefined,
    owns: (url) =>
      (own !== undefined && url.hostname === own.hostname && url.port === own.port) ||
      statusOf(url.hostname) === 'active',
  }
}
