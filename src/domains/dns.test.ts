import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startDns, type Zone } from '../../test/support/dns.ts'
import type { Ending } from '../../test/support/cleanup.ts'
import { createDnsCheck } from './dns.ts'
import { isTransient } from './dns-fault.ts'
import { readDomainName } from './name.ts'

const HOST = 'go.bakery.shop'

const NAME = 'qr.example.com'

const service: Record<string, Zone> = { [HOST]: { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] } }

const USUAL_MS = 2000

const nameOf = (text: string) => {
  const read = readDomainName(text, undefined)
  if (typeof read === 'string') throw new Error(`${text} ${read}`)
  return read
}

async function faultOf(
  t: Ending,
  name: string,
  zones: Record<string, Zone>,
  { host = HOST, queryMs = USUAL_MS }: { host?: string | undefined; queryMs?: number } = {},
) {
  const dns = await startDns(t, { ...service, ...zones })
  return createDnsCheck({ host, servers: [dns.address], monotonic: () => 0, queryMs }).faultOf(nameOf(name))
}

describe('a name points to the service', () => {
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

  test('by the addresses of the service or a flattened CNAME, if it is an apex domain', async (t) => {
    for (const zone of [
      { a: ['192.0.2.2'] },
      { aaaa: ['2001:db8:0:0::1'] },
      { a: ['192.0.2.1', '198.51.100.1'], aaaa: ['2001:db8::1'] },
    ]) {
      assert.equal(await faultOf(t, 'example.com', { 'example.com': zone }), undefined, JSON.stringify(zone))
    }
    const behind = { 'example.com': { cname: 'flat.example.net' }, 'flat.example.net': { a: ['192.0.2.1'] } }
    assert.equal(await faultOf(t, 'example.com', behind), undefined)
    assert.equal(await faultOf(t, 'example.co.uk', { 'example.co.uk': { a: ['192.0.2.1'] } }), undefined)
  })

  test('not by the addresses of the service, if it is not an apex domain: it needs a CNAME', async (t) => {
    const flat = { 'qr.example.com': { cname: 'flat.example.net' }, 'flat.example.net': { a: ['192.0.2.1'] } }
    for (const zones of [{ 'qr.example.com': { a: ['192.0.2.1'], aaaa: ['2001:db8::1'] } }, flat]) {
      const fault = await faultOf(t, 'qr.example.com', zones)
      assert.equal(fault?.code, 'points_elsewhere')
      assert.match(fault.detail, /points to 192\.0\.2\.1 \(A\).*: it must be a CNAME to go\.bakery\.shop$/)
    }
  })

  test('by the address of a service without a name', async (t) => {
    const zones = { 'example.com': { a: ['203.0.113.9'] }, 'six.example': { aaaa: ['2001:db8::9'] } }
    assert.equal(await faultOf(t, 'example.com', zones, { host: '203.0.113.9' }), undefined)
    assert.equal(await faultOf(t, 'six.example', zones, { host: '[2001:db8::9]' }), undefined)
    const fault = await faultOf(t, 'example.com', zones, { host: '203.0.113.8' })
    assert.match(fault?.detail ?? '', /which is not the service: it must point to 203\.0\.113\.8$/)
    assert.equal((await faultOf(t, 'qr.example.com', zones, { host: '203.0.113.9' }))?.code, 'no_public_name')
  })

  test('never while others cannot reach the service, nor by loopback addresses', async (t) => {
    const dns = await startDns(t, {
      'example.com': { a: ['127.0.0.1'], aaaa: ['::1'] },
      'qr.example.com': { cname: 'localhost' },
      localhost: { a: ['127.0.0.1'], aaaa: ['::1'] },
      [HOST]: { a: ['127.0.0.1'], aaaa: ['::1'] },
    })
    const nameless = createDnsCheck({ host: undefined, servers: [dns.address], monotonic: () => 0 })
    for (const name of ['example.com', 'qr.example.com']) {
      const fault = await nameless.faultOf(nameOf(name))
      assert.equal(fault?.code, 'no_public_name')
      assert.match(fault.detail, /this service has no public name yet/)
    }
    assert.deepEqual([dns.queries, await nameless.serviceAddresses()], [[], []])
    const named = createDnsCheck({ host: HOST, servers: [dns.address], monotonic: () => 0 })
    assert.equal((await named.faultOf(nameOf('example.com')))?.code, 'service_unresolved')
  })

  test("never when it has become the service's own name, or one under it", async (t) => {
    assert.equal((await faultOf(t, HOST, {}))?.code, 'own_name')
    assert.equal((await faultOf(t, `www.${HOST}`, { [`www.${HOST}`]: { cname: HOST } }))?.code, 'own_name')
  })
})

describe('each fault has its code and detail', () => {
  const faults: [name: string, zones: Record<string, Zone>, code: string, detail: RegExp, name?: string][] = [
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
      /^gone\.example\.net, to which qr\.example\.com points, does not exist/,
    ],
    [
      'another address',
      { 'qr.example.com': { a: ['198.51.100.7'] } },
      'points_elsewhere',
      /points to 198\.51\.100\.7 \(A\): it must be a CNAME to go\.bakery\.shop$/,
    ],
    [
      'an IPv6 address that leads elsewhere, beside an IPv4 address that leads here',
      { 'example.com': { a: ['192.0.2.1'], aaaa: ['2001:db8::bad'] } },
      'points_elsewhere',
      /points to 2001:db8::bad \(AAAA\)/,
      'example.com',
    ],
    [
      'too many addresses to list in the detail',
      { 'qr.example.com': { a: Array.from({ length: 30 }, (_, at) => `198.51.100.${at}`) } },
      'points_elsewhere',
      /^qr\.example\.com points to (?:198\.51\.100\.\d+ \(A\), ){4}198\.51\.100\.\d+ \(A\) and more: it must/,
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
    [
      'addresses of private networks, which are not told',
      {
        'qr.example.com': {
          a: ['10.0.0.7', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
          aaaa: ['fd00::1', 'fe80::1'],
        },
      },
      'points_elsewhere',
      /^qr\.example\.com points to a private address \(A\), a private address \(AAAA\): it must be a CNAME/,
    ],
    [
      'an address of a private network behind a public name, which is not told',
      { 'example.com': { cname: 'intern.example.net' }, 'intern.example.net': { a: ['172.16.0.9', '127.0.0.1'] } },
      'points_elsewhere',
      /^example\.com → intern\.example\.net, which points to a private address \(A\), which is not the service/,
      'example.com',
    ],
    [
      'a name of a private network, which is not looked up',
      { 'qr.example.com': { cname: 'db.internal' }, 'db.internal': { cname: 'secret.internal' } },
      'points_elsewhere',
      /^qr\.example\.com points to db\.internal, a name of a private network: it must be a CNAME/,
    ],
    ['a CNAME to itself', { 'qr.example.com': { cname: 'qr.example.com' } }, 'cname_loop', /form a loop/],
    ['a server that fails', { 'qr.example.com': { fails: 'SERVFAIL' } }, 'servfail', /SERVFAIL/],
    ['a server that refuses', { 'qr.example.com': { fails: 'REFUSED' } }, 'dns_error', /EREFUSED/],
    ['a server that answers rubbish', { 'qr.example.com': { fails: 'rubbish' } }, 'dns_error', /EBADRESP/],
    ['a server that is silent', { 'qr.example.com': { fails: 'silence' } }, 'timeout', /qr\.example\.com in time/],
    [
      'a service whose own addresses cannot be found',
      { 'example.com': { a: ['192.0.2.1'] }, [HOST]: { fails: 'SERVFAIL' } },
      'service_unresolved',
      /go\.bakery\.shop cannot be resolved/,
      'example.com',
    ],
  ]
  for (const [title, zones, code, detail, name = 'qr.example.com'] of faults) {
    test(title, { concurrency: true, timeout: 30_000 }, async (t) => {
      // Responses may take long on a busy machine; the test does not wait for a silent server.
      const fault = await faultOf(t, name, zones, code === 'timeout' ? { queryMs: 50 } : {})
      assert.equal(fault?.code, code, JSON.stringify(fault))
      assert.match(fault.detail, detail)
      for (const finding of fault.findings) {
        assert.deepEqual([finding.code, finding.record.name, finding.found.length <= 5], [code, name, true])
        assert.doesNotMatch(finding.found.join(), /^(?:10|127|169|172|192\.168|100\.64)\.|^f[de]|secret/)
      }
    })
  }

  test('a finding has the record, what it must hold, and what it holds', async (t) => {
    const zones = {
      'qr.example.com': { a: ['198.51.100.7'] },
      'b.example.com': { cname: 'other.example.net' },
      'other.example.net': { a: ['198.51.100.8'] },
      'example.com': { a: ['198.51.100.9'], aaaa: ['2001:db8::bad'] },
    }
    const findingsOf = async (name: string) => (await faultOf(t, name, zones))?.findings
    const code = 'points_elsewhere'
    const cname = (name: string, found: string[]) => ({
      code,
      record: { type: 'CNAME', name },
      expected: [HOST],
      found,
    })
    assert.deepEqual(await findingsOf('qr.example.com'), [cname('qr.example.com', ['198.51.100.7'])])
    assert.deepEqual(await findingsOf('b.example.com'), [cname('b.example.com', ['other.example.net'])])
    const address = (type: string, expected: string[], found: string[]) => {
      return { code, record: { type, name: 'example.com' }, expected, found }
    }
    assert.deepEqual(await findingsOf('example.com'), [
      address('A', ['192.0.2.1', '192.0.2.2'], ['198.51.100.9']),
      address('AAAA', ['2001:db8::1'], ['2001:db8::bad']),
    ])
    const [missing] = (await findingsOf('gone.example.com')) ?? []
    assert.deepEqual([missing?.code, missing?.found], ['nxdomain', []])
  })

  test('no server at all', async () => {
    const fault = await createDnsCheck({ host: HOST, servers: ['127.0.0.1:9'], monotonic: () => 0 }).faultOf(
      nameOf(NAME),
    )
    assert.equal(fault?.code, 'timeout')
  })

  test('only faults of DNS servers are transient', () => {
    const transient = ['servfail', 'timeout', 'dns_error', 'service_unresolved', 'no_public_name'] as const
    const lasting = ['nxdomain', 'no_records', 'points_elsewhere', 'cname_loop', 'own_name'] as const
    for (const code of transient) assert.ok(isTransient({ code, detail: '', findings: [] }))
    for (const code of lasting) assert.ok(!isTransient({ code, detail: '', findings: [] }))
  })
})

test("the service's addresses are found for names that cannot have a CNAME, once in ten seconds, and none while DNS is unavailable", async (t) => {
  const dns = await startDns(t, { ...service })
  let now = 0
  const check = createDnsCheck({ host: HOST, servers: [dns.address], monotonic: () => now })
  const found = await Promise.all(Array.from({ length: 50 }, () => check.serviceAddresses()))
  for (const each of found) assert.deepEqual(each.sort(), ['192.0.2.1', '192.0.2.2', '2001:db8::1'])
  assert.equal(dns.queries.length, 2, 'A and AAAA')
  dns.zones[HOST] = { fails: 'SERVFAIL' }
  now = 10_000
  assert.deepEqual(await check.serviceAddresses(), [])
})
