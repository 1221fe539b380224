import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { reasonOf } from '../lib/reason-of.ts'
import { decodeAll, decodeFirst } from './der.ts'

/** A certificate with its key. Times are milliseconds since 1970, UTC. */
export interface Certificate {
  name: string
  /** The certificate and its intermediates, PEM. */
  chain: string
  /** The private key, PEM (PKCS #8). */
  key: string
  notBefore: number
  notAfter: number
}

/** The largest chain in characters, which each handshake sends; usual ones have a few thousand. */
const MAX_CHAIN = 65_536

/** The authority issued an unusable certificate. */
export class CertificateError extends Error {}

/**
 * Parses and checks an issued certificate.
 * @throws {CertificateError} unless it is for that name and key, has not expired, and a server can use all of its chain
 */
export function readCertificate(name: string, chain: string, key: string, now: number): Certificate {
  if (chain.length > MAX_CHAIN) throw new CertificateError(`the chain has more than ${MAX_CHAIN} characters`)
  const leaf = new X509Certificate(chain)
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new CertificateError('the certificate is for another key')
  if (leaf.checkHost(name, { subject: 'never' }) === undefined) {
    throw new CertificateError(`the certificate is not for ${name}`)
  }
  const notBefore = leaf.validFromDate.getTime()
  const notAfter = leaf.validToDate.getTime()
  if (notAfter <= now) throw new CertificateError('the certificate has expired')
  checkChain(chain, key)
  return { name, chain, key, notBefore, notAfter }
}

/** Only the first certificate was parsed; what follows would end each handshake. */
function checkChain(chain: string, key: string): void {
  try {
    createSecureContext({ cert: chain, key })
  } catch (error) {
    throw new CertificateError(`no server can use the chain: ${reasonOf(error)}`, { cause: error })
  }
}

/** The default renewal time: when a third of the lifetime is left. */
export function renewalTime({ notBefore, notAfter }: Certificate): number {
  return notAfter - (notAfter - notBefore) / 3
}

const AUTHORITY_KEY_IDENTIFIER = Buffer.from('0603551d23', 'hex')
const SEQUENCE = 0x30
const OCTET_STRING = 0x04
const EXTENSIONS = 0xa3
const KEY_IDENTIFIER = 0x80

/**
 * The identifier of a certificate for renewal information (RFC 9773, 4.1): the authority's key identifier and the
 * serial number, each base64url, joined by a dot. Undefined when the certificate has no authority key identifier.
 */
export function renewalId(chain: string): string | undefined {
  const [body] = decodeFirst(new X509Certificate(chain).raw)
  const fields = decodeAll(body?.content ?? Buffer.alloc(0))
  // The version, which precedes the serial number, has a context tag.
  const serial = fields.find(({ tag }) => tag === 0x02)
  const extensions = fields.find(({ tag }) => tag === EXTENSIONS)
  const authority = extensions && authorityKey(extensions.content)
  if (serial === undefined || authority === undefined) return undefined
  return `${authority.toString('base64url')}.${serial.content.toString('base64url')}`
}

function authorityKey(extensions: Buffer): Buffer | undefined {
  for (const { tag, content } of decodeFirst(extensions)) {
    if (tag !== SEQUENCE || !content.subarray(0, 5).equals(AUTHORITY_KEY_IDENTIFIER)) continue
    const value = decodeAll(content).find((each) => each.tag === OCTET_STRING)
    return value && decodeFirst(value.content).find((each) => each.tag === KEY_IDENTIFIER)?.content
  }
  return undefined
}
