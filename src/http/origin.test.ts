import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { NetworkInterfaceInfo } from 'node:os'
import { describe, test } from 'node:test'
import { createOrigin } from './origin.ts'

const interfaces = { eth0: ['192.168.1.50', '2001:db8::50'].map((address) => ({ address }) as NetworkInterfaceInfo) }
const machine = { networkInterfaces: () => interfaces, hostname: () => 'bakery-pc' }
const statuses: Record<string, string> = {
  'qr.example.com': 'active',
  'new.example.com': 'pending',
  'old.example.com': 'misconfigured',
}
const createAt = (baseUrl: string | undefined, warned: unknown[] = []) => {
  const log = { warn: (...line: unknown[]) => void warned.push(line[0]) }
  const leadsHere = (name: string) => statuses[name] === 'active'
  return createOrigin({ baseUrl, port: () => 3000, leadsHere, machine, monotonic: () => 0, log })
}
const requestTo = (host: string | undefined, customDomain?: string) =>
  ({ headers: { host }, customDomain }) as FastifyRequest

describe('without a configured origin', () => {
  const origin = createAt(undefined)

  test('a request to a host of this machine gets URLs of that host and port', () => {
    for (const [host, expected] of [
      ['localhost:3000', 'http://localhost:3000'],
      ['LOCALHOST:3000', 'http://localhost:3000'],
      ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
      ['[::1]:3000', 'http://[::1]:3000'],
      ['192.168.1.50:3000', 'http://192.168.1.50:3000'],
      ['192.168.1.50', 'http://192.168.1.50'],
      ['192.168.1.50:80', 'http://192.168.1.50'],
      ['[2001:db8::50]:3000', 'http://[2001:db8::50]:3000'],
      ['[2001:DB8:0::50]:3000', 'http://[2001:db8::50]:3000'],
      ['Bakery-PC:3000', 'http://bakery-pc:3000'],
      ['bakery-pc.local:3000', 'http://bakery-pc.local:3000'],
    ] as const) {
      assert.equal(origin.of(requestTo(host)), expected, host)
    }
  })

  test('the first host that is not of this machine is logged once, and kept; what is no host is not', () => {
    const logged: unknown[] = []
    const asked = createAt(undefined, logged)
    for (const host of [undefined, '', 'a b', 'localhost:3000', '192.168.1.50']) asked.of(requestTo(host))
    asked.of(requestTo('qr.example.com', 'qr.example.com'))
    assert.deepEqual([logged, asked.foreignHost()], [[], null])
    for (const host of ['Go.Bakery.shop:80', 'other.example.com']) asked.of(requestTo(host))
    assert.deepEqual([logged, asked.foreignHost()], [[{ host: 'go.bakery.shop' }], 'go.bakery.shop'])
    const configured = createAt('https://go.bakery.shop', logged)
    configured.of(requestTo('other.example.com'))
    assert.deepEqual([logged.length, configured.foreignHost()], [1, null])
  })

  test('any other Host never appears in URLs', () => {
    for (const host of [
      undefined,
      '',
      'evil.example',
      'evil.example:3000',
      '192.168.1.51:3000',
      '[fe80::1%25eth0]:3000',
      '192.168.1.50:3000@evil.example',
      'evil.example#192.168.1.50',
      '192.168.1.50/x',
      '192.168.1.50\\evil.example',
      '192.168.1.50:99999',
      '192.168.1.50 ',
      '192.168.1.50, evil.example',
      'localhost:3000"><script>',
      '127.0.0.1.evil.example',
      `${'a'.repeat(10_000)}.localhost`,
      'new.example.com',
    ]) {
      assert.equal(origin.of(requestTo(host)), 'http://localhost:3000', String(host))
    }
  })

  test("this machine's own addresses lead back to the service at its port, and nowhere else", () => {
    const owns = (url: string) => origin.owns(new URL(url))
    assert.deepEqual(
      [
        'http://192.168.1.50:3000/x',
        'http://192.168.1.50/x',
        'http://192.168.1.51:3000/',
        'https://qr.example.com/x',
      ].map(owns),
      [true, false, false, true],
    )
    assert.deepEqual(['bakery-pc', 'evil.example'].map(origin.isOwnHost), [true, false])
  })

  test('the service is reachable where it listens', () => {
    assert.deepEqual(origin.reachableAt('127.0.0.1'), ['http://localhost:3000'])
    assert.deepEqual(origin.reachableAt('0.0.0.0'), [
      'http://localhost:3000',
      'http://192.168.1.50:3000',
      'http://bakery-pc:3000',
    ])
  })
})

describe('with a configured origin', () => {
  const origin = createAt('https://go.bakery.shop')

  test('URLs have that origin, whatever the Host', () => {
    for (const host of [undefined, 'localhost:3000', '192.168.1.50:3000', 'evil.example']) {
      assert.equal(origin.of(requestTo(host)), 'https://go.bakery.shop')
    }
    assert.deepEqual(origin.reachableAt('0.0.0.0'), ['https://go.bakery.shop'])
  })

  test('a custom domain has the same scheme and port', () => {
    assert.equal(origin.of(requestTo('qr.example.com', 'qr.example.com')), 'https://qr.example.com')
    assert.equal(createAt('http://a.example:8080').of(requestTo('x', 'qr.example.com')), 'http://qr.example.com:8080')
  })

  test('only its own host and active domains lead back to it', () => {
    const names = ['go.bakery.shop', 'qr.example.com', 'new.example.com', 'old.example.com', 'bakery-pc', 'localhost']
    const expected = [true, true, false, false, false, false]
    assert.deepEqual(names.map(origin.isOwnHost), expected)
    assert.deepEqual(
      names.map((name) => origin.owns(new URL(`https://${name}/x`))),
      expected,
    )
    assert.equal(origin.owns(new URL('https://go.bakery.shop:8080/')), false)
    for (const url of ['https://go.bakery.shop./x', 'https://QR.example.com./x'])
      assert.ok(origin.owns(new URL(url)), url)
    assert.ok(createAt('https://go.bakery.shop.').owns(new URL('https://go.bakery.shop/x')))
  })
})

test('a Host is trusted that no stranger can make lead here: addresses, private names, and the configured host', () => {
  const { isTrustedHost } = createAt('https://go.bakery.shop')
  const trusted =
    '127.0.0.1:3000 [::1]:3000 10.0.0.9 203.0.113.9 localhost bakery-pc quirl:3000 quirl.monitoring.svc GO.bakery.shop. x.local'
  for (const host of trusted.split(' ')) assert.ok(isTrustedHost(host), host)
  const foreign = 'evil.example.com:3000 127.0.0.1.evil.example.com localhost.evil.example.com qr.example.com a,b'
  for (const host of [...foreign.split(' '), '', undefined]) assert.ok(!isTrustedHost(host), host ?? 'none')
})

test('a trailing dot does not change a host: it still is the service or an active domain', () => {
  for (const baseUrl of ['https://qr.bakery.shop', 'https://qr.bakery.shop.']) {
    const { owns, isOwnHost } = createAt(baseUrl)
    for (const host of ['qr.bakery.shop', 'qr.bakery.shop.', 'qr.example.com', 'qr.example.com.'])
      assert.ok(owns(new URL(`https://${host}/x`)), `${host} with ${baseUrl}`)
    for (const host of ['qr.bakery.shop:8443', 'qr.bakery.shop.:8443', 'new.example.com.', 'bakery.shop.', '[::1]'])
      assert.ok(!owns(new URL(`https://${host}/x`)), `${host} with ${baseUrl}`)
    assert.deepEqual(['qr.bakery.shop', 'new.example.com', 'bakery.shop'].map(isOwnHost), [true, false, false])
  }
})
