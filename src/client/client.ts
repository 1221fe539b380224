import createFetchClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './api.ts'

/** The bodies of the API, by the names that the OpenAPI document gives them. */
export type Schemas = components['schemas']

export type { paths }

/** Calls the API of a service: `client.POST('/api/links', { body: { target } })`. */
export type QuirlClient = Client<paths>

export interface QuirlClientOptions {
  /** The origin of the service, such as `https://qr.example.com`. */
  server: string
  /**
   * The token of a link, for the paths that end in no token: it stays out of the logs of proxies. Or the operator's key, for
   * creations where the service asks for one.
   */
  token?: string | undefined
  /** In place of the platform's `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
}

/**
 * A client of the API whose paths, parameters and bodies are typed. The service refuses what it does not know, such as a field
 * that only a later version has, because every request asks for strict handling (RFC 7240). Each call resolves with `data`, or with `error`, a
 * problem of RFC 9457; it rejects only when there is no response.
 */
export function createQuirlClient({ server, token, fetch }: QuirlClientOptions): QuirlClient {
  return createFetchClient<paths>({
    baseUrl: server,
    headers: { prefer: 'handling=strict', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(fetch !== undefined && { fetch }),
  })
}
