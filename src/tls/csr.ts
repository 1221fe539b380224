import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import { encode, encodeOid } from './der.ts'

const SUBJECT_ALT_NAME = '2.5.29.17'
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'

/** Context tags: the attributes of a request, and a DNS name in the alternative names (RFC 5280, 4.2.1.6). */
const ATTRIBUTES = 0xa0
const DNS_NAME = 0x82

/**
 * A certificate signing request (RFC 2986) in DER for one DNS name, which is only in the subject's alternative names.
 * @param key an ECDSA private key on P-256
 */
export function createCsr(name: string, key: KeyObject): Buffer {
  const extension = encode('sequence', encodeOid(SUBJECT_ALT_NAME), encode('octetString', alternativeNames(name)))
  const request = encode('sequence', encodeOid(EXTENSION_REQUEST), encode('set', encode('sequence', extension)))
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const info = encode(
    'sequence',
    encode('integer', Buffer.from([0])),
    encode('sequence'),
    publicKey,
    encode(ATTRIBUTES, request),
  )
  return signed(info, key)
}

/** The value of the extension with the subject's alternative names. */
export function alternativeNames(name: string): Buffer {
  return encode('sequence', encode(DNS_NAME, Buffer.from(name, 'ascii')))
}

/** The outer structure of certificates and requests: the information, the algorithm, the signature. */
export function signed(info: Buffer, key: KeyObject): Buffer {
  const signature = encode('bitString', Buffer.from([0]), sign('sha256', info, key))
  return encode('sequence', info, signatureAlgorithm(), signature)
}

export function signatureAlgorithm(): Buffer {
  return encode('sequence', encodeOid(ECDSA_WITH_SHA256))
}
