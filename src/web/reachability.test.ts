import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachabilityOf, reachabilityWarning } from './reachability.ts'

test('a loopback address is reachable from its machine only', () => {
  for (const host of [
    'localhost:3000',
    'x.localhost',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:3000',
    '0.0.0.0:3000',
    '[::]',
  ]) {
    assert.equal(reachabilityOf(`http://${host}`), 'machine', host)
  }
})

test('a private address, and a name that is not in public DNS, are reachable from the local network only', () => {
  for (const host of [
    '192.168.1.50:3000',
    '10.0.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.1.1',
    '[fd00::1]:3000',
    '[fe80::1]',
    '[::ffff:192.168.1.50]',
    'bakery-pc:3000',
    'bakery-pc.local',
    'qr.lan',
    'qr.home.arpa.',
  ]) {
    assert.equal(reachabilityOf(`http://${host}`), 'network', host)
  }
})

test('a public name or address counts as reachable, without a warning', () => {
  for (const host of ['qr.example.com', '203.0.114.9:3000', '[2606:4700::1]', 'local.example.com', 'example.com.']) {
    assert.equal(reachabilityOf(`https://${host}`), 'public', host)
    assert.equal(reachabilityWarning(`https://${host}`), undefined)
  }
})

test('the warning names the address, where it works, and the setting that fixes it, in both languages', () => {
  const machine = reachabilityWarning('http://localhost:3000')?.markup ?? ''
  assert.match(machine, /work on this machine only.*http:\/\/localhost:3000.*BASE_URL/s)
  assert.match(reachabilityWarning('http://192.168.1.50:3000')?.markup ?? '', /work in this network only/)
  const german = reachabilityWarning('http://localhost:3000', 'de')?.markup ?? ''
  assert.match(german, /nur auf diesem Rechner.*http:\/\/localhost:3000.*BASE_URL/s)
})
