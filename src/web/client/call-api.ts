/**
 * Calls the API of the service. It refuses what it does not know, in place of ignoring it (RFC 7240): a page and its service
 * may be of two versions for a moment.
 */
export function callApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('prefer', 'handling=strict')
  return fetch(path, { ...init, headers })
}
