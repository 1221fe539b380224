import assert from 'node:assert/strict'
import { urlFault } from '../../src/links/url-policy.ts'

export const owns = (url: URL) => url.hostname === 'qr.example.org'

export const refused = (url: string, why?: RegExp) => {
  const fault = urlFault(url, owns)
  assert.ok(fault !== undefined, `${url} must be rejected`)
  if (why) assert.match(fault, why, url)
}

export const accepted = (url: string) => assert.equal(urlFault(url, owns), undefined, url)

/** Every notation of an IPv4 address that WHATWG's URL parser accepts. */
export function notations(address: number): string[] {
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const hex = (value: number) => `0x${value.toString(16)}`
  const octal = (value: number) => `0${value.toString(8)}`
  return [
    bytes.join('.'),
    `${bytes.join('.')}.`,
    String(address),
    hex(address),
    octal(address),
    `0X${address.toString(16).toUpperCase()}`,
    bytes.map(hex).join('.'),
    bytes.map(octal).join('.'),
    bytes.map((byte) => `000${byte.toString(8)}`).join('.'),
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    bytes.join('.').replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    bytes.join('。'),
    encodeURIComponent(bytes.join('.')).replace(/\d/g, (digit) => `%3${digit}`),
    ...[
      `::ffff:${bytes.join('.')}`,
      `::${bytes.join('.')}`,
      `64:ff9b::${bytes.join('.')}`,
      `::ffff:0:${bytes.join('.')}`,
    ].map((six) => `[${six}]`),
    `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
  ]
}
