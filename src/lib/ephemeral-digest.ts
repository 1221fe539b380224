import { hash, randomBytes } from 'node:crypto'

/** Digests clients and networks by a key that is never written, and that ends with the process: the store never has an address. */
export function createEphemeralDigest(): (text: string) => string {
  const key = randomBytes(32).toString('hex')
  return (text) => hash('sha256', `${key}${text}`, 'hex').slice(0, 12)
}
