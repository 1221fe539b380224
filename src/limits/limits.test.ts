import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createFairUse, limitNames, type LimitName, type Quotas } from './limits.ts'
import { createMemoryCounters } from './memory-counter.ts'

/** How many clients an IPv6 /48 has. */
const CLIENTS = 65_536

test('the clients of a network do not evict what it has used, however many they are and whatever they ask for', async () => {
  const monotonic = () => 0
  const addresses = new WeakMap<IncomingMessage, string>()
  const quotas = { ...Object.fromEntries(limitNames.map((name) => [name, 1e9])), links: 1 } as Quotas
  const client = { of: (raw: IncomingMessage) => addresses.get(raw) ?? '' }
  const { charge } = createFairUse(quotas, createMemoryCounters(monotonic), client, monotonic, () => {})
  const reply = { headers() {} } as unknown as FastifyReply
  const chargeFrom = (at: number, name: LimitName) => {
    const raw = {} as IncomingMessage
    addresses.set(raw, `2a00:1:2:${at.toString(16)}::`)
    return charge({ raw } as FastifyRequest, reply, name)
  }
  for (let at = 0; at < 16; at++) await chargeFrom(at, 'links')
  const refused = /16 links can be created from one network/
  await assert.rejects(chargeFrom(16, 'links'), refused)
  for (const name of ['misses', 'failures'] as const)
    for (let at = 0; at < CLIENTS; at++) await (await chargeFrom(at, name))()
  await assert.rejects(chargeFrom(16, 'links'), refused)
})
