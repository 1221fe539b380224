import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../lib/public-address.ts'
import { publicBytes } from './find.ts'

/** As ipaddr.js reads it. */
function expected(address: string): number[] | undefined {
  if (isIP(address) === 0) return undefined
  const parsed = ipaddr.process(address)
  return isPublicAddress(parsed) ? parsed.toByteArray() : undefined
}

test('an address in any notation has the bytes that ipaddr.js reads', () => {
  const octet = fc.nat({ max: 255 })
  const four = fc.array(octet, { minLength: 4, maxLength: 4 }).map((bytes) => bytes.join('.'))
  const group = fc.oneof(
    fc.constantFrom('0', '0000', 'ffff', 'FFFF'),
    fc.nat({ max: 65_535 }).map((value) => value.toString(16)),
  )
  const groups = (maxLength: number) => fc.array(group, { maxLength }).map((all) => all.join(':'))
  const whole = fc.array(group, { minLength: 8, maxLength: 8 }).map((all) => all.join(':'))
  const short = fc.tuple(fc.constantFrom('2a01:4f8:', '2600:', ''), groups(3), groups(3))
  const six = fc.oneof(
    whole,
    fc.tuple(fc.constantFrom('2003:e0', '2a02:1'), whole).map(([first, rest]) => `${first}:${rest.slice(0, 20)}`),
    short.map(([start, head, tail]) => `${start}${head}::${tail}`),
    fc.tuple(fc.constantFrom('::ffff:', '64:ff9b::', '2a01::', '::ffff:0:'), four).map((parts) => parts.join('')),
  )
  const address = fc.oneof(four, six, fc.string())
  fc.assert(
    fc.property(address, (text) => assert.deepEqual(publicBytes(text), expected(text), text)),
    { numRuns: 5000 },
  )
})

test('an address with a zone, or an IPv4-compatible one, which is deprecated, is not public', () => {
  for (const address of ['2a01:4f8::1%eth0', 'fe80::1%1', '::5.1.2.3']) {
    assert.equal(publicBytes(address), undefined, address)
  }
})
