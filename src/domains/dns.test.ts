import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startDns, type Zone } from '../../test/support/dns.ts'
import type { Ending } from '../../test/support/cleanup.ts'
import { createDnsCheck, isPassing } from './dns.ts'

const HOST = 'go.bakery.shop'
const service: Record<string, Zone> = { [HOST]: { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] } }

async function faultOf(t: Ending, name: string, zones: Record<string, Zone>, host = HOST) {
  const dns = await startDns(t, { ...service, ...zones })
  return createDnsCheck(host, [dns.address]).faultOf(name)
}

describe('a name leads to the service', () => {
  test('by a CNAME, in any case', async (t) => {
    assert.equal(await faultOf(t, 'qr.example.com', { 'qr.example.com': { cname: 'Go.Bakery.SHOP' } }), undefined)
  })

  test('by a chain of eight CNAMEs, and by none of nine', async (t) => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, at) => [
          `n${at}.example.com`,
          { cname: at === length - 1 ? HOST : `n${at + 1}.example.com` },
        ]),
      )
    assert.equal(await faultOf(t, 'n0.example.com', chain(8)), undefined)
    const fault = await faultOf(t, 'n0.example.com', chain(9))
    assert.equal(fault?.code, 'cname_chain_too_long')
    assert.match(fault.detail, /more than 8 CNAME/)
  })

  test('by the addresses of the service, as an apex or a flattened CNAME has them', async (t) => {
    for (const zone of [
      { a: ['192.0.2.2'] },
      { aaaa: ['2001:db8:0:0::1'] },
      { a: ['192.0.2.1', '198.51.100.1'], aaaa: ['2001:db8::1'] },
    ]) {
      assert.equal(await faultOf(t, 'example.com', { 'example.com': zone }), undefined, JSON.stringify(zone))
    }
    const behind = { 'qr.example.com': { cname: 'flat.example.net' }, 'flat.example.net': { a: ['192.0.2.1'] } }
    assert.equal(await faultOf(t, 'qr.example.com', behind), undefined)
  })

  test('by the address of a service that has no name', async (t) => {
    const zones = { 'qr.example.com': { a: ['203.0.113.9'] }, 'six.example.com': { aaaa: ['2001:db8::9'] } }
    assert.equal(await faultOf(t, 'qr.example.com', zones, '203.0.113.9'), undefined)
    assert.equal(await faultOf(t, 'six.example.com', zones, '[2001:db8::9]'), undefined)
    assert.equal((await faultOf(t, 'qr.example.com', zones, '203.0.113.8'))?.code, 'points_elsewhere')
  })
})

describe('each fault is said exactly', () => {
  const faults: [what: string, zones: Record<string, Zone>, code: string, detail: RegExp][] = [
    ['a name that does not exist', {}, 'nxdomain', /^qr\.example\.com does not exist in DNS \(NXDOMAIN\)$/],
    [
      'a name without records',
      { 'qr.example.com': {} },
      'no_records',
      /^qr\.example\.com has no CNAME, A or AAAA record$/,
    ],
    [
      'a CNAME to a name that does not exist',
      { 'qr.example.com': { cname: 'gone.example.net' } },
      'nxdomain',
      /^gone\.example\.net, to which qr\.example\.com leads, does not exist/,
    ],
    [
      'another address',
      { 'qr.example.com': { a: ['198.51.100.7'] } },
      'points_elsewhere',
      /points to 198\.51\.100\.7 \(A\), .* must be a CNAME to go\.bakery\.shop$/,
    ],
    [
      'an IPv6 address that leads elsewhere, beside an IPv4 address that leads here',
      { 'qr.example.com': { a: ['192.0.2.1'], aaaa: ['2001:db8::bad'] } },
      'points_elsewhere',
      /points to 2001:db8::bad \(AAAA\)/,
    ],
    [
      'a CNAME to another site',
      { 'qr.example.com': { cname: 'other.example.net' }, 'other.example.net': { a: ['198.51.100.7'] } },
      'points_elsewhere',
      /^qr\.example\.com → other\.example\.net, which points to 198/,
    ],
    [
      'CNAMEs in a circle',
      { 'qr.example.com': { cname: 'b.example.com' }, 'b.example.com': { cname: 'qr.example.com' } },
      'cname_loop',
      /qr\.example\.com → b\.example\.com → qr\.example\.com$/,
    ],
    ['a CNAME to itself', { 'qr.example.com': { cname: 'qr.example.com' } }, 'cname_loop', /circle/],
    ['a server that fails', { 'qr.example.com': { fails: 'SERVFAIL' } }, 'servfail', /SERVFAIL/],
    ['a server that refuses', { 'qr.example.com': { fails: 'REFUSED' } }, 'dns_error', /EREFUSED/],
    ['a server that answers rubbish', { 'qr.example.com': { fails: 'rubbish' } }, 'dns_error', /EBADRESP/],
    ['a server that is silent', { 'qr.example.com': { fails: 'silence' } }, 'timeout', /qr\.example\.com in time/],
    [
      'a service whose own addresses cannot be found',
      { 'qr.example.com': { a: ['192.0.2.1'] }, [HOST]: { fails: 'SERVFAIL' } },
      'service_unresolved',
      /go\.bakery\.shop cannot be found/,
    ],
  ]
  for (const [what, zones, code, detail] of faults) {
    test(what, { concurrency: true, timeout: 30_000 }, async (t) => {
      const fault = await faultOf(t, 'qr.example.com', zones)
      assert.equal(fault?.code, code, JSON.stringify(fault))
      assert.match(fault.detail, detail)
    })
  }

  test('no server at all', async () => {
    const fault = await createDnsCheck(HOST, ['127.0.0.1:9']).faultOf('qr.example.com')
    assert.equal(fault?.code, 'timeout')
  })

  test('only what the servers do is passing, what the owner has set is not', () => {
    const passing = ['servfail', 'timeout', 'dns_error', 'service_unresolved'] as const
    const lasting = ['nxdomain', 'no_records', 'points_elsewhere', 'cname_loop', 'cname_chain_too_long'] as const
    for (const code of passing) assert.ok(isPassing({ code, detail: '' }))
    for (const code of lasting) assert.ok(!isPassing({ code, detail: '' }))
  })
})

test("the service's addresses are found for those who cannot set a CNAME, and none while DNS is away", async (t) => {
  const dns = await startDns(t, { ...service })
  const check = createDnsCheck(HOST, [dns.address])
  assert.deepEqual((await check.serviceAddresses()).sort(), ['192.0.2.1', '192.0.2.2', '2001:db8::1'])
  dns.zones[HOST] = { fails: 'SERVFAIL' }
  assert.deepEqual(await check.serviceAddresses(), [])
})
