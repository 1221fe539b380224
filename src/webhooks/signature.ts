import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks

const PREFIX = 'whsec_'
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32

/** A new key for signatures, in the form in which its owner and the libraries of receivers have it. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** A request to be signed. */
interface Message {
  id: string
  /** When this attempt is sent, in milliseconds since 1970. */
  sentAt: number
  body: string
}

/** The headers by which a receiver verifies a request and recognizes one that comes twice. */
export function signedHeaders({ id, sentAt, body }: Message, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
