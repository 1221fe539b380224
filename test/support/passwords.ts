import { nodeScrypt, type Scrypt } from '../../src/links/password/password.ts'

/** Derives keys as the service does, at a cost that tests can pay often. */
export const cheapScrypt: Scrypt = (password, salt) => nodeScrypt(password, salt, { ln: 1, r: 1, p: 1 })

/** Sends the form of a link, as a browser would. */
export function enter(url: string, password: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ password })
  return fetch(url, { method: 'POST', body, redirect: 'manual', headers: { accept: 'text/html', ...headers } })
}
