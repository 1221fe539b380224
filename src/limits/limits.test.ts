import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createFairUse, limitNames, type LimitName, type Quotas } from './limits.ts'
import { createMemoryCounters } from './memory-counter.ts'

/** How many clients an IPv6 /48 has. */
const CLIENTS = 65_536

test('the clients of a network do not evict what it has used, however many they are and whatever they ask for', async () => {
  const monotonic = () => 0
  const socket = new Socket()
  const addresses = new WeakMap<IncomingMessage, string>()
  const quotas = { ...Object.fromEntries(limitNames.map((name) => [name, 1e9])), links: 1 } as Quotas
  const client = { of: (raw: IncomingMessage) => addresses.get(raw) ?? '' }
  const { charge } = createFairUse(quotas, createMemoryCounters(monotonic), client, monotonic, () => {})
  const reply = { headers() {} }
  const chargeFrom = (at: number, name: LimitName) => {
    const raw = new IncomingMessage(socket)
    addresses.set(raw, `2a00:1:2:${at.toString(16)}::`)
    return charge({ raw }, reply, name)
  }
  for (let at = 0; at < 16; at++) await chargeFrom(at, 'links')
  const refused = /16 links can be created from one network/
  await assert.rejects(chargeFrom(16, 'links'), refused)
  for (const name of ['misses', 'failures'] as const)
    for (let at = 0; at < CLIENTS; at++) await (await chargeFrom(at, name))()
  await assert.rejects(chargeFrom(16, 'links'), refused)
})
