import { createPublicKey, hash, sign, type KeyObject } from 'node:crypto'

/** The public half of a key as a JWK. */
export function publicJwk(key: KeyObject): { crv: string; kty: string; x: string; y: string } {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { crv, kty, x, y }
}

/** The SHA-256 thumbprint of a key, base64url (RFC 7638: only the required members, in order). */
export function thumbprint(key: KeyObject): string {
  return hash('sha256', JSON.stringify(publicJwk(key)), 'base64url')
}

/**
 * A request body in the format of RFC 8555, 6.2: flattened JSON, ES256.
 * @param header the protected header: nonce, URL, and the account or its key
 * @param payload undefined for a POST-as-GET
 */
export function signJws(key: KeyObject, header: Record<string, unknown>, payload: unknown): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const protectedHeader = encode(JSON.stringify({ alg: 'ES256', ...header }))
  const body = payload === undefined ? '' : encode(JSON.stringify(payload))
  const signature = sign('sha256', Buffer.from(`${protectedHeader}.${body}`), { key, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ protected: protectedHeader, payload: body, signature: signature.toString('base64url') })
}
