import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { refused, accepted, notations } from '../../test/support/url-policy.ts'

const specialRanges: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

test('no special IPv4 address passes in any notation', () => {
  const special = fc.constantFrom(...specialRanges).chain(([network, prefix]) => {
    const first = network.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
    return fc.integer({ min: first, max: first + 2 ** (32 - prefix) - 1 })
  })
  fc.assert(
    fc.property(special, (address) => {
      for (const host of notations(address)) refused(`http://${host}/`)
    }),
    { numRuns: 500 },
  )
})

test('a public IPv4 address passes as itself and not inside an IPv6 one', () => {
  const [plain = '', , decimal = '', ...others] = notations(0x08080808)
  accepted(`http://${plain}/`)
  accepted(`http://${decimal}/`)
  for (const host of others.filter((each) => each.startsWith('['))) refused(`http://${host}/`)
})

test('no IPv6 address outside global unicast passes, in any way of writing it', () => {
  for (const host of [
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::0001',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:7f00:1',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2001:0DB8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    '4000::1',
    '1::1',
  ]) {
    refused(`http://[${host}]/`, /public host|valid URL/)
  }
})
