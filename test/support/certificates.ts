import { createPrivateKey } from 'node:crypto'
import { newKey } from '../../src/tls/account.ts'
import { alternativeNames, signatureAlgorithm, signed } from '../../src/tls/csr.ts'
import { decodeAll, decodeFirst, encode, encodeOid } from '../../src/tls/der.ts'

/** Issues a certificate for a signing request, as an authority does: PEM, for one name, valid between two times (milliseconds since 1970). */
export function issueFor(csr: Buffer, name: string, times: { from: number; to: number }): string {
  const [info] = decodeFirst(csr)
  const [, , publicKey] = decodeAll(info?.content ?? Buffer.alloc(0))
  const time = (ms: number) => encode(0x18, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')))
  const commonName = encode('sequence', encodeOid('2.5.4.3'), encode('utf8', Buffer.from('x')))
  const subject = encode('sequence', encode('set', commonName))
  const extension = encode('sequence', encodeOid('2.5.29.17'), encode('octetString', alternativeNames(name)))
  const body = encode(
    'sequence',
    encode(0xa0, encode('integer', Buffer.from([2]))),
    encode('integer', Buffer.from([5])),
    signatureAlgorithm(),
    subject,
    encode('sequence', time(times.from), time(times.to)),
    subject,
    encode('sequence', publicKey?.content ?? Buffer.alloc(0)),
    encode(0xa3, encode('sequence', extension)),
  )
  const lines =
    signed(body, createPrivateKey(newKey()))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
