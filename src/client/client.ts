import createFetchClient, { type Client, type Middleware } from 'openapi-fetch'
import type { components, operations, paths } from './api.ts'

/** The bodies of the API, by the names that the OpenAPI document gives them. */
export type Schemas = components['schemas']

export type { paths }

/** Calls the API of a service: `client.POST('/api/links', { body: { target } })`. */
export type QuirlClient = Client<paths>

export interface QuirlClientOptions {
  /** The origin of the service, such as `https://qr.example.com`. */
  server: string
  /**
   * The token of a link or of a collection, for the paths that end in no token: it stays out of the logs of proxies. Or the
   * operator's key, for creations where the service asks for one.
   */
  token?: string | undefined
  /** The code of a link in the collection that has the token: the paths of `/api/manage` are about this link then. */
  code?: string | undefined
  /** In place of the platform's `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
}

/**
 * A client of the API whose paths, parameters and bodies are typed. The service refuses what it does not know, such as a field
 * that only a later version has, because every request asks for strict handling (RFC 7240). Each call resolves with `data`, or with `error`, a
 * problem of RFC 9457; it rejects only when there is no response.
 */
export function createQuirlClient({ server, token, code, fetch }: QuirlClientOptions): QuirlClient {
  const client = createFetchClient<paths>({
    baseUrl: server,
    headers: { prefer: 'handling=strict', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(fetch !== undefined && { fetch }),
  })
  if (code !== undefined) client.use(throughCollection(code))
  return client
}

/** Sends what is asked of a link by its own token to its path in a collection, where `DELETE` alone would only take it out. */
function throughCollection(code: string): Middleware {
  const ofLink = /^\/api\/manage(?=\/|$)/
  return {
    onRequest({ request }) {
      const url = new URL(request.url)
      if (!ofLink.test(url.pathname)) return undefined
      if (request.method === 'DELETE' && url.pathname === '/api/manage') url.searchParams.set('link', 'true')
      url.pathname = url.pathname.replace(ofLink, `/api/collections/links/${encodeURIComponent(code)}`)
      return new Request(url, request)
    },
  }
}

/** Which links of a collection to list, and how: the parameters of `GET /api/collections/{token}/links`, `limit` for each page. */
export type LinkSelection = NonNullable<operations['listCollectionByHeader']['parameters']['query']>

/** A response with a page of links, or with a problem, which ends the pages. */
export type LinkPage = Awaited<ReturnType<typeof readPage>>

/**
 * Reads the links of a collection page by page: `for await (const { data, error } of pagesOfLinks(client))`.
 * @param client with the token of the collection
 */
export async function* pagesOfLinks(client: QuirlClient, selection: LinkSelection = {}): AsyncGenerator<LinkPage> {
  let cursor = selection.cursor ?? null
  do {
    const page = await readPage(client, { ...selection, ...(cursor !== null && { cursor }) })
    yield page
    cursor = page.data?.next ?? null
  } while (cursor !== null)
}

function readPage(client: QuirlClient, query: LinkSelection) {
  return client.GET('/api/collections/links', { params: { query } })
}
