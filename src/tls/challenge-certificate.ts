import { createPrivateKey, createPublicKey, hash, randomBytes } from 'node:crypto'
import { newKey } from './account.ts'
import { alternativeNames, signatureAlgorithm, signed } from './csr.ts'
import { encode, encodeOid } from './der.ts'

const COMMON_NAME = '2.5.4.3'
const SUBJECT_ALT_NAME = '2.5.29.17'
/** RFC 8737, 6.1. */
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31'

const VERSION = 0xa0
const EXTENSIONS = 0xa3
const BOOLEAN = 0x01
const GENERALIZED_TIME = 0x18

/** Validity before and after now; authorities do not check it. */
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The certificate of a TLS-ALPN-01 response (RFC 8737, 3): self-signed, for one name, with the digest of the key
 * authorization in a critical extension.
 */
export function challengeCertificate(
  name: string,
  keyAuthorization: string,
  now: number,
): { key: string; chain: string } {
  const key = newKey()
  const privateKey = createPrivateKey(key)
  const digest = encode('octetString', hash('sha256', keyAuthorization, 'buffer'))
  const critical = encode(BOOLEAN, Buffer.from([0xff]))
  const subject = encode(
    'sequence',
    encode('set', encode('sequence', encodeOid(COMMON_NAME), encode('utf8', Buffer.from('ACME challenge')))),
  )
  const extensions = encode(
    'sequence',
    encode('sequence', encodeOid(SUBJECT_ALT_NAME), encode('octetString', alternativeNames(name))),
    encode('sequence', encodeOid(ACME_IDENTIFIER), critical, encode('octetString', digest)),
  )
  const body = encode(
    'sequence',
    encode(VERSION, encode('integer', Buffer.from([2]))),
    // The serial number is positive and has no leading zero byte.
    encode('integer', Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    signatureAlgorithm(),
    subject,
    encode('sequence', time(now - DAY_MS), time(now + DAY_MS)),
    subject,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    encode(EXTENSIONS, extensions),
  )
  const lines =
    signed(body, privateKey)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return { key, chain: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n') }
}

function time(ms: number): Buffer {
  return encode(GENERALIZED_TIME, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')))
}
