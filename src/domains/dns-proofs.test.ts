import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startDns, type Zone } from '../../test/support/dns.ts'
import type { Ending } from '../../test/support/cleanup.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { newClaim } from './claim.ts'
import { createDnsCheck } from './dns.ts'

const HOST = 'go.bakery.shop'

const NAME = 'qr.example.com'

describe('the proofs of claims', () => {
  const proof = () => newClaim(NAME, hashToken(newToken()), 0).proof
  const proofsOf = async (t: Ending, zone: Zone) => {
    const dns = await startDns(t, { [`_quirl.${NAME}`]: zone })
    return createDnsCheck({ host: undefined, servers: [dns.address], monotonic: () => 0 }).proofsOf(NAME)
  }

  test('are read among other TXT records, and from a record with several strings', async (t) => {
    const [one, other] = [proof(), proof()]
    const txt = ['v=spf1 -all', '', one, `${one}x`, one.toUpperCase(), [other.slice(0, 20), '', other.slice(20)]]
    assert.deepEqual((await proofsOf(t, { txt })).sort(), [one, other].sort())
    // Two records are two texts, whatever stands in them.
    assert.deepEqual(await proofsOf(t, { txt: [one.slice(0, 20), one.slice(20)] }), [])
  })

  test('are empty without a record, a name, or a working server', async (t) => {
    for (const zone of [{}, { fails: 'SERVFAIL' }, { fails: 'rubbish' }, { a: ['192.0.2.1'] }] as Zone[]) {
      assert.deepEqual(await proofsOf(t, zone), [], JSON.stringify(zone))
    }
    const silent = createDnsCheck({ host: HOST, servers: ['127.0.0.1:9'], monotonic: () => 0 })
    assert.deepEqual(await silent.proofsOf(NAME), [])
  })

  test('are limited to a few out of thousands of records', async (t) => {
    const txt = [...Array.from({ length: 800 }, () => 'x'.repeat(40)), ...Array.from({ length: 30 }, proof)]
    assert.equal((await proofsOf(t, { txt })).length, 20)
  })

  test('belong to one name and one token each', () => {
    const tokenHash = hashToken(newToken())
    const { proof: mine } = newClaim(NAME, tokenHash, 0)
    assert.match(mine, /^quirl-claim=[\w-]{43}$/)
    assert.notEqual(newClaim('other.example.com', tokenHash, 0).proof, mine)
    assert.notEqual(newClaim(NAME, hashToken(newToken()), 0).proof, mine)
    assert.equal(mine.includes(tokenHash), false)
  })
})
