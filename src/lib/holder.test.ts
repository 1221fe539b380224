import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from './holder.ts'

test('the network of an IPv4 address is its /24, and of an IPv6 /64 its /48', () => {
  const networkOf = (client: string) => asHolder(client).network
  assert.equal(networkOf('203.0.113.7'), networkOf('203.0.113.250'))
  assert.notEqual(networkOf('203.0.113.7'), networkOf('203.0.114.7'))
  assert.equal(networkOf('2001:db8:1:2::'), networkOf('2001:db8:1:ffff::'))
  assert.notEqual(networkOf('2001:db8:1:2::'), networkOf('2001:db8:2:2::'))
  assert.equal(networkOf('2001:db8:0:0::'), networkOf('2001:db8:0:1::'))
})

test('the networks of an IPv6 /32 are of one allocation, and an IPv4 network is one by itself', () => {
  const allocationOf = (client: string) => asHolder(client).allocation
  assert.equal(allocationOf('2001:db8:1:2::'), allocationOf('2001:db8:ffff:2::'))
  assert.notEqual(allocationOf('2001:db8:1:2::'), allocationOf('2001:db9:1:2::'))
  assert.equal(allocationOf('203.0.113.7'), asHolder('203.0.113.7').network)
  assert.notEqual(allocationOf('203.0.113.7'), allocationOf('203.0.114.7'))
})

test('who has no address has a network of their own', () => {
  assert.deepEqual(asHolder(''), { client: '', network: '', allocation: '' })
})
