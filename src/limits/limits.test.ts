import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createFairUse, limitNames, type LimitName, type Quotas } from './limits.ts'
import { createMemoryCounters } from './memory-counter.ts'

/** How many clients an IPv6 /48 has. */
const CLIENTS = 65_536

/** Charges the addresses that it is called with; a link and client is the quota, and of all else there is plenty. */
function open() {
  const monotonic = () => 0
  const socket = new Socket()
  const addresses = new WeakMap<object, string>()
  const quotas = { ...Object.fromEntries(limitNames.map((name) => [name, 1e9])), links: 1 } as Quotas
  const client = { of: (raw: object) => addresses.get(raw) ?? '' }
  const { charge } = createFairUse(quotas, createMemoryCounters(monotonic), client, monotonic, () => {})
  const reply = { headers() {} }
  return (address: string, name: LimitName) => {
    const raw = new IncomingMessage(socket)
    addresses.set(raw, address)
    return charge({ raw }, reply, name)
  }
}

test('the clients of a network do not evict what it has used, however many they are and whatever they ask for', async () => {
  const chargeOf = open()
  const chargeFrom = (at: number, name: LimitName) => chargeOf(`2a00:1:2:${at.toString(16)}::`, name)
  for (let at = 0; at < 16; at++) await chargeFrom(at, 'links')
  const refused = /16 links can be created from one network/
  await assert.rejects(chargeFrom(16, 'links'), refused)
  for (const name of ['misses', 'failures'] as const)
    for (let at = 0; at < CLIENTS; at++) await (await chargeFrom(at, name))()
  await assert.rejects(chargeFrom(16, 'links'), refused)
})

test('the networks of an IPv6 /32 have 16 times the quota of one together, and evict no count of others', async () => {
  const chargeOf = open()
  const ofAllocation = (network: number, client: number) => `2a00:1:${network.toString(16)}:${client}::`
  const outcomes: unknown[] = []
  for (let network = 0; network < 20; network++)
    for (let client = 0; client < 16; client++)
      outcomes.push(
        await chargeOf(ofAllocation(network, client), 'links').then(
          () => 'charged',
          (error: Error) => error.message,
        ),
      )
  assert.equal(outcomes.filter((each) => each === 'charged').length, 256)
  assert.match(String(outcomes.at(-1)), /256 links can be created from one allocation \(IPv6 \/32\) in an hour/)
  for (let at = 0; at < CLIENTS; at++)
    await assert.rejects(chargeOf(ofAllocation(at, 0), 'links'), /one (allocation|network)/)
  await chargeOf('2a00:2:1:0::', 'links')
  for (let at = 0; at < 16; at++) await chargeOf(`203.0.113.${at}`, 'links')
  await assert.rejects(chargeOf('203.0.113.77', 'links'), /16 links can be created from one network/)
})

test('a quota that ends while it is charged, as that of room does, refuses nobody', async () => {
  const monotonic = () => 0
  let reads = 0
  const quotas = {
    ...(Object.fromEntries(limitNames.map((name) => [name, 0])) as Record<LimitName, number>),
    get room() {
      return reads++ === 0 ? 1 : 0
    },
  }
  const { charge } = createFairUse(
    quotas,
    createMemoryCounters(monotonic),
    { of: () => '2a00:1:2:3::' },
    monotonic,
    () => {},
  )
  await charge({ raw: new IncomingMessage(new Socket()) }, { headers() {} }, 'room')
})
