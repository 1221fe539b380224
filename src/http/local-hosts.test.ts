import assert from 'node:assert/strict'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { createLocalHosts } from './local-hosts.ts'

const addresses = [
  '127.0.0.1',
  '::1',
  '192.168.1.50',
  '172.17.0.1',
  '2001:db8:0:0:0:0:0:50',
  'fd00::50',
  'fe80::1ff:fe23:4567:890a%eth0',
]
const interfacesOf = (all: string[]) => ({ eth0: all.map((address) => ({ address }) as NetworkInterfaceInfo) })
const machine = { networkInterfaces: () => interfacesOf(addresses), hostname: () => 'Bakery-PC' }
const local = createLocalHosts(machine, () => 0)

test('loopback, the addresses of this machine and its name are its hosts', () => {
  for (const host of [
    'localhost',
    'shop.localhost',
    '127.0.0.1',
    '127.1.2.3',
    '[::1]',
    '192.168.1.50',
    '172.17.0.1',
    '[2001:db8::50]',
    '[fd00::50]',
    '[fe80::1ff:fe23:4567:890a]',
    'bakery-pc',
    'bakery-pc.local',
  ]) {
    assert.ok(local.has(host), host)
  }
})

test('a host that only resembles one of them is not', () => {
  for (const host of [
    '',
    'example.com',
    'localhost.example.com',
    'notlocalhost',
    '192.168.1.51',
    '192.168.1.5',
    '0.0.0.0',
    '[::]',
    'bakery-pc.example.com',
    'x.bakery-pc.local',
    'local',
    '.local',
    '127.0.0.1.example.com',
  ]) {
    assert.ok(!local.has(host), host)
  }
})

test('a fully qualified name is a host, and its first label with .local', () => {
  const { has } = createLocalHosts({ ...machine, hostname: () => 'pc.bakery.shop' }, () => 0)
  assert.deepEqual(['pc.bakery.shop', 'pc.local', 'pc', 'bakery.shop'].map(has), [true, true, false, false])
})

test('a machine whose name is empty or invalid still has its addresses', () => {
  for (const hostname of ['', 'a b', 'localhost', '%']) {
    const { has, of } = createLocalHosts({ ...machine, hostname: () => hostname }, () => 0)
    assert.deepEqual([has('192.168.1.50'), has(hostname)], [true, hostname === 'localhost'], hostname)
    assert.deepEqual(of('0.0.0.0'), ['localhost', '192.168.1.50', '172.17.0.1'])
  }
})

test('a process that may not read its addresses has loopback', () => {
  const refused = () => {
    throw new Error('uv_interface_addresses returned ENOSYS')
  }
  const { has, of } = createLocalHosts({ networkInterfaces: refused, hostname: refused }, () => 0)
  assert.deepEqual([has('localhost'), has('192.168.1.50'), of('::')], [true, false, ['localhost']])
})

test('addresses are read again after five seconds, and no more often', () => {
  let now = 0
  let reads = 0
  let current = ['192.168.1.50']
  const networkInterfaces = () => {
    reads++
    return interfacesOf(current)
  }
  const { has } = createLocalHosts({ ...machine, networkInterfaces }, () => now)
  assert.ok(has('192.168.1.50'))
  current = ['192.168.1.60']
  for (let at = 0; at < 1000; at++) assert.ok(!has('192.168.1.60'))
  assert.equal(reads, 1)
  now = 5000
  assert.deepEqual([has('192.168.1.60'), has('192.168.1.50'), reads], [true, false, 2])
})

test('a server that listens on all addresses is reachable at each of its family that a URL can hold, and by name', () => {
  const four = ['localhost', '192.168.1.50', '172.17.0.1', 'bakery-pc']
  assert.deepEqual(local.of('0.0.0.0'), four)
  for (const all of ['::', '0:0:0:0:0:0:0:0']) {
    assert.deepEqual(
      local.of(all),
      ['localhost', '192.168.1.50', '172.17.0.1', '[2001:db8::50]', '[fd00::50]', 'bakery-pc'],
      all,
    )
  }
})

test('a server that listens at one address or name is reachable there only', () => {
  for (const [listening, host] of [
    ['127.0.0.1', 'localhost'],
    ['::1', 'localhost'],
    ['localhost', 'localhost'],
    ['192.168.1.50', '192.168.1.50'],
    ['2001:DB8::50', '[2001:db8::50]'],
    ['Bakery-PC', 'bakery-pc'],
  ] as const) {
    assert.deepEqual(local.of(listening), [host], listening)
  }
})
