import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { newKey } from './account.ts'
import { AcmeError } from './acme-error.ts'
import type { AcmeClient, AcmeResponse } from './acme.ts'
import { createOrderWithFallback } from './challenge-fallback.ts'
import type { ChallengeType } from './order.ts'
import type { Purpose } from './issuance-store.ts'

const HOST = 'go.example.com'
const signer = { key: createPrivateKey(newKey()), account: 'https://ca/1' }

/** An authority that validates each name by some types of challenge only, or has validated it earlier. */
function createAuthority(open: (name: string) => ChallengeType[] | 'validated') {
  const tried: string[] = []
  let [name, status] = ['', 'pending']
  const answer = (content: object): AcmeResponse => ({
    status: 200,
    location: 'https://ca/o',
    retryAfter: undefined,
    text: JSON.stringify(content),
  })
  const authorization = () => ({
    status,
    challenges: (['http-01', 'tls-alpn-01'] as const).map((type) => ({
      type,
      url: `https://ca/${type}`,
      token: 'token',
      ...(status === 'invalid' && { error: { type: 'urn:ietf:params:acme:error:connection', detail: 'refused' } }),
    })),
  })
  function validate(type: string): void {
    tried.push(`${name} ${type}`)
    const types = open(name)
    status = types !== 'validated' && types.some((each) => each === type) ? 'valid' : 'invalid'
  }
  const client: AcmeClient = {
    directory: async () => ({ newNonce: 'https://ca/n', newAccount: 'https://ca/a', newOrder: 'https://ca/new' }),
    get: () => Promise.reject(new Error('nothing is read unsigned')),
    async post(url, _signer, payload) {
      if (url === 'https://ca/new') {
        name = (payload as { identifiers: { value: string }[] }).identifiers[0]?.value ?? ''
        status = open(name) === 'validated' ? 'valid' : 'pending'
        return answer({ status: 'pending', authorizations: ['https://ca/z'] })
      }
      if (url === 'https://ca/z') return answer(authorization())
      if (url === 'https://ca/o') return answer({ status: 'valid', certificate: 'https://ca/c' })
      if (url !== 'https://ca/c') validate(url.slice('https://ca/'.length))
      return answer({})
    },
  }
  const challenges = { put: async () => {}, remove: async () => {} }
  const limiter = { acquire: async () => ({ giveBack: async () => {} }) }
  const order = createOrderWithFallback({ client, challenges, sleep: async () => {} }, limiter)
  return {
    tried,
    order: (ordered: string, purpose: Purpose) =>
      order(signer, { name: ordered, csr: Buffer.alloc(0), purpose }, AbortSignal.any([])),
  }
}

const refused = (error: unknown) => error instanceof AcmeError && error.type === 'connection'

describe('where only port 443 leads here', () => {
  const only443 = (stranger: ChallengeType[] | 'validated') => (name: string) =>
    name === 'stranger.example' ? stranger : (['tls-alpn-01'] as ChallengeType[])

  test('a stranger whose name leads the authority to another server keeps no other name from its certificate', async () => {
    const { order } = createAuthority(only443(['http-01']))
    await order('stranger.example', 'first')
    await order('shop.example', 'first')
    await order('stranger.example', 'first')
    await order('cafe.example', 'first')
    await order('stranger.example', 'renewal')
    await order(HOST, 'own')
  })

  test('an order for which nothing was validated says nothing about the ports', async () => {
    const { order, tried } = createAuthority(only443('validated'))
    await order('stranger.example', 'operator')
    await order(HOST, 'own')
    await order('stranger.example', 'operator')
    await order('shop.example', 'first')
    assert.deepEqual(tried, [`${HOST} http-01`, `${HOST} tls-alpn-01`, 'shop.example tls-alpn-01'])
  })
})

test('once a port has worked for the service itself, a name that fails costs one order, and a renewal tries both ports', async () => {
  let isOpen = true
  const { order, tried } = createAuthority((name) => (name === HOST && isOpen ? ['http-01'] : ['tls-alpn-01']))
  await order(HOST, 'own')
  await assert.rejects(order('shop.example', 'first'), refused)
  assert.deepEqual(tried.splice(0), [`${HOST} http-01`, 'shop.example http-01'])
  // Since then, another server has port 80.
  isOpen = false
  await order('shop.example', 'renewal')
  await order(HOST, 'own')
  await order('cafe.example', 'first')
  assert.equal(tried.at(-1), 'cafe.example tls-alpn-01')
})

test('a name that neither port leads to names the faults of both, in the order in which they were tried', async () => {
  const { order } = createAuthority((name) => (name === HOST ? ['tls-alpn-01'] : []))
  await assert.rejects(order('shop.example', 'first'), { message: /refused \(port 80\); refused \(port 443\)$/ })
  await order(HOST, 'own')
  await assert.rejects(order('shop.example', 'renewal'), { message: /refused \(port 443\); refused \(port 80\)$/ })
})
