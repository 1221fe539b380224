import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { startDns } from '../../test/support/dns.ts'
import { PATIENCE_MS } from '../../test/support/poll.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { createRunQueries } from '../domains/dns-query.ts'
import { createGuardedRequest, OwnHostError } from './guarded-request.ts'
import { createOwnNetworks } from './own-networks.ts'
import { createOutgoingMemory } from './outgoing-memory.ts'
import { createReceivers } from './receivers.ts'

const options = { method: 'POST' as const, body: '{}', signal: new AbortController().signal }

test('no request goes to this machine, to its neighbours or to the address of the service, by whatever name', async (t) => {
  const { received, port } = await startReceiver(t)
  const dns = await startDns(t, {
    'go.example': { a: ['127.0.3.9'], aaaa: ['2001:db8:1::9'] },
    'machine.example': { a: ['127.0.2.5'] },
    'neighbour.example': { a: ['127.0.2.77'] },
    'neighbour6.example': { aaaa: ['2001:db8::77'] },
    'service.example': { cname: 'go.example' },
    'mixed.example': { a: ['127.0.2.77', '127.0.0.1'] },
    'other.example': { a: ['127.0.0.1'] },
  })
  const query = createRunQueries([dns.address])
  const addressesOf = (host: string) =>
    query(async (queries) => (await queries.addressesOf(host)).map(({ address }) => address))
  const interfaces = () => ({ eth0: [{ cidr: '127.0.2.5/24' }, { cidr: '2001:db8::5/64' }, { cidr: null }] })
  const ownNetworks = createOwnNetworks({
    host: 'go.example',
    addressesOf,
    monotonic: () => performance.now(),
    interfaces,
  })
  const deps = { addressesOf, ownNetworks, isAllowed: () => true, receivers: createReceivers(Date.now) }
  const request = createGuardedRequest({ ...deps, memory: createOutgoingMemory(), timeoutMs: PATIENCE_MS })
  const names = ['machine.example', 'neighbour.example', 'neighbour6.example', 'service.example', 'go.example']
  for (const host of [...names, '127.0.2.9', '[2001:db8::1]', '[::ffff:127.0.2.9]', '127.0.3.9', '[2001:db8:1::9]'])
    await assert.rejects(request(`http://${host}:${port}/`, options), OwnHostError, host)
  assert.equal(received.length, 0)
  for (const host of ['other.example', 'mixed.example'])
    assert.deepEqual(await request(`http://${host}:${port}/`, options), { status: 204 })
  assert.deepEqual(
    received.map(({ headers }) => headers.host),
    [`other.example:${port}`, `mixed.example:${port}`],
  )
})

test('each address of this machine is its own, and while the DNS does not answer, those of the service are the last known', async () => {
  let now = 0
  let answers = true
  const addressesOf = async () => {
    if (!answers) throw new Error('made by the test')
    return ['198.51.100.7']
  }
  const ownNetworks = createOwnNetworks({ host: 'go.example', addressesOf, monotonic: () => now })
  for (const isAnswered of [true, false]) {
    answers = isAnswered
    const isOwn = await ownNetworks()
    for (const found of Object.values(networkInterfaces()))
      for (const { address } of found ?? []) assert.ok(isOwn(address), address)
    assert.ok(isOwn('198.51.100.7'))
    assert.ok(!isOwn('1.1.1.1'))
    now += 1e9
  }
})
