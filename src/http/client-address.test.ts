import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNetworks } from '../lib/network.ts'
import { clientOf, createClientAddress } from './client-address.ts'

const client = createClientAddress(parseNetworks('127.0.0.0/8,10.0.0.0/8,2001:db8:1::/48') ?? [], () => {})
const of = (forwarded: string, remoteAddress = '127.0.0.1') =>
  client.of({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } })

test('the port of an entry of X-Forwarded-For is ignored', () => {
  for (const [entry, address] of [
    ['8.8.8.8', '8.8.8.8'],
    ['8.8.8.8:5678', '8.8.8.8'],
    ['1.1.1.1, 8.8.8.8:1', '8.8.8.8'],
    ['1.1.1.1,8.8.8.8:65535 ', '8.8.8.8'],
    ['2001:4860:1:2::1', '2001:4860:1:2::'],
    ['[2001:4860:1:2::1]', '2001:4860:1:2::'],
    ['[2001:4860:1:2::1]:443', '2001:4860:1:2::'],
    ['[2001:4860:1:2:3:4:5:6]:443', '2001:4860:1:2::'],
    ['[::ffff:8.8.8.8]:443', '8.8.8.8'],
    ['8.8.8.8:99,10.0.0.7:1234,[2001:db8:1::9]:80', '8.8.8.8'],
  ] as const)
    assert.equal(of(entry), address, entry)
})

test('an invalid entry ends the walk, whatever its port', () => {
  for (const entry of [
    '',
    'unknown',
    'unknown:80',
    '8.8.8.8:',
    '8.8.8.8:port',
    '8.8.8.8:123456',
    '8.8.8.8:80:80',
    '[8.8.8.8',
    '8.8.8.8]',
    '[]:80',
    '[2001:4860::1]443',
    '[2001:4860::1]:',
    '8.8.8.999:80',
    'example.com:80',
    '"8.8.8.8:80"',
  ])
    assert.equal(of(`1.1.1.1, ${entry}`), '127.0.0.1', entry)
})

test('what stands for an IPv4 address counts as it, and is trusted as what it is', () => {
  for (const [entry, address] of [
    ['64:ff9b::808:808', '8.8.8.8'],
    ['64:ff9b::808:809', '8.8.8.9'],
    ['2002:808:808:1::5', '8.8.8.8'],
    ['2002:808:809:ffff::5', '8.8.8.9'],
    ['8.8.8.8, 64:ff9b::7f00:1', '127.0.0.1'],
    ['8.8.8.8, 2002:a00:1::1', '10.0.0.1'],
  ] as const)
    assert.equal(of(entry), address, entry)
  assert.equal(clientOf('64:ff9b::808:808'), '8.8.8.8')
})

test('the header of an untrusted peer is ignored', () => {
  assert.equal(of('8.8.8.8:5678', '9.9.9.9'), '9.9.9.9')
})

test('a stranger is taken for a proxy of the operator in no form of a public address', () => {
  for (const [remoteAddress, ignored] of [
    ['10.0.0.7', '10.0.0.7'],
    ['fd00::7', 'fd00::7'],
    ['8.8.8.8', null],
    ['2001:4860::1', null],
    ['2002:808:808::1', null],
    ['2001:0:1::1', null],
    ['64:ff9b::808:808', null],
  ] as const) {
    const fresh = createClientAddress([], () => {})
    const headers = { 'x-forwarded-for': '8.8.4.4' }
    fresh.of({ socket: { remoteAddress }, headers })
    assert.equal(fresh.forwarding().ignored, ignored, remoteAddress)
  }
})

test('a link-local address counts without the name of its network interface, whatever that is', () => {
  for (const zone of ['eth0', 'eno1.30', 'br-4f2a', 'l_x', 'Ü 1']) {
    const remoteAddress = `fe80::1%${zone}`
    assert.equal(clientOf(remoteAddress), 'fe80:0:0:0::')
    const trusting = createClientAddress(parseNetworks('fe80::/64') ?? [], () => {})
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': '8.8.8.8' } }
    assert.deepEqual(
      [trusting.of(request), trusting.isProxied(request), trusting.isInternal({ ...request, headers: {} })],
      ['8.8.8.8', true, true],
    )
  }
})
