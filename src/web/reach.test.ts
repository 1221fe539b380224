import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachOf, reachWarning } from './reach.ts'

test('an address of loopback is reached from its machine alone', () => {
  for (const host of [
    'localhost:3000',
    'x.localhost',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:3000',
    '0.0.0.0:3000',
    '[::]',
  ]) {
    assert.equal(reachOf(`http://${host}`), 'machine', host)
  }
})

test('a private address, and a name that public DNS does not have, are reached from their network', () => {
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
    assert.equal(reachOf(`http://${host}`), 'network', host)
  }
})

test('a public name or address is reached from everywhere, as far as it tells, and nothing is said', () => {
  for (const host of ['qr.example.com', '203.0.114.9:3000', '[2606:4700::1]', 'local.example.com', 'example.com.']) {
    assert.equal(reachOf(`https://${host}`), 'everywhere', host)
    assert.equal(reachWarning(`https://${host}`), undefined)
  }
})

test('the warning names the address, who reaches it, and what mends it', () => {
  const machine = reachWarning('http://localhost:3000')?.markup ?? ''
  assert.match(machine, /http:\/\/localhost:3000, which only the computer that runs this service\s+reaches/)
  assert.match(machine, /BASE_URL/)
  assert.match(
    reachWarning('http://192.168.1.50:3000')?.markup ?? '',
    /which only this service&#39;s own network\s+reaches/,
  )
})
