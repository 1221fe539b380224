import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../db/database.ts'
import type { Problem } from '../http/problem.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { drivers } from '../../test/support/drivers.ts'
import { fc, runs } from '../../test/support/fast-check.ts'
import { insert } from '../../test/support/stored-links.ts'
import * as tokens from '../../test/support/token-model.ts'
import { noCharge, noRoom } from '../lib/charged.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { findByAnyToken, isWorking } from './token-look-up.ts'
import { rotateToken } from './rotation.ts'

const HOUR = 3_600_000

let now = 1_800_000_000_000

function openTokens(db: Database) {
  const clock = () => now
  const ids = { next: () => 0, newest: () => 0, markUsed() {} }
  const deps = { db, now: clock, ids, idempotency: createIdempotency(db, clock) }
  const rotate = async (token: string, key?: string): Promise<string> => {
    const idempotentRequest = key === undefined ? undefined : { key, request: 'a path' }
    const client = { origin: 'https://qr.example.com', charge: noCharge, chargeRoom: noRoom }
    try {
      const rotated = await rotateToken(deps, token, client, { idempotentRequest })
      assert.equal(rotated.manage_url, `https://qr.example.com/m/${rotated.token}`)
      return rotated.token
    } catch (error) {
      return (error as Problem).code
    }
  }
  return { rotate, idempotency: deps.idempotency, isWorking: (token: string) => isWorking(deps, token) }
}

type Tokens = ReturnType<typeof openTokens>

let links = 0

/** A new link, and the model of its tokens. */
async function newLink(db: Database): Promise<tokens.TokenModel> {
  const token = newToken()
  await insert(db, `rotated-${++links}`, { token: hashToken(token) })
  return tokens.tokensOf(token)
}

type Step = { do: 'use'; token: number } | { do: 'rotate'; token: number; key: number } | { do: 'wait'; ms: number }

const token = fc.nat(9)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('use' as const), token }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('rotate' as const), token, key: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, HOUR / 2, HOUR) }) },
  ),
  { maxLength: 12 },
)

async function take(service: Tokens, model: tokens.TokenModel, step: Step): Promise<void> {
  if (step.do === 'wait') {
    now += step.ms
    return
  }
  const from = model.sent.at(-1 - (step.token % model.sent.length)) ?? ''
  if (step.do === 'use') {
    assert.equal(await service.isWorking(from), tokens.useToken(model, from, now))
    return
  }
  // Half of the rotations have a key, one of three.
  const key = step.key < 3 ? `${model.sent[0]} ${step.key}` : undefined
  const refusal = tokens.useToken(model, from, now) ? undefined : 'unknown_token'
  const expected = tokens.expectedRotation(model, from, key, { now, refusal })
  const rotated = await service.rotate(from, key)
  if (expected !== undefined) return assert.equal(rotated, expected)
  assert.ok(tokens.isNewToken(model, rotated), rotated)
  tokens.noteRotation(model, { from, token: rotated, key }, now)
}

/** Uses all tokens that were sent, in a random order; returns how many worked. */
async function useAll(service: Tokens, model: tokens.TokenModel, order: Iterator<number>): Promise<number> {
  const left = [...model.sent]
  let working = 0
  while (left.length > 0) {
    const [next = ''] = left.splice(Number(order.next().value) % left.length, 1)
    const worked = await service.isWorking(next)
    assert.equal(worked, tokens.useToken(model, next, now))
    if (worked) working++
  }
  return working
}

for (const driver of drivers) {
  test(`the tokens of a link on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const service = openTokens(db)
    const { rotate } = service

    await t.test('at any time one that was sent works, and once a new one was used no other does', async () => {
      const run = async (plan: Step[], order: Iterator<number>) => {
        const model = await newLink(db)
        for (const step of plan) await take(service, model, step)
        assert.ok((await useAll(service, model, order)) >= 1)
        if (model.next === undefined) assert.equal(await useAll(service, model, order), 1)
      }
      await fc.assert(fc.asyncProperty(steps, fc.infiniteStream(fc.nat(99)), run), { numRuns: runs(40) })
    })

    await t.test('the old one works for an hour beside the new one, and not longer', async () => {
      const { own } = await newLink(db)
      await rotate(own)
      now += HOUR - 1
      assert.equal(await service.isWorking(own), true)
      now += 1
      assert.equal(await service.isWorking(own), false)
      assert.equal(await rotate(own), 'unknown_token')
    })

    await t.test('one works, whatever comes at the same time', async () => {
      for (let round = 0; round < 10; round++) {
        const { own } = await newLink(db)
        const first = await rotate(own)
        const use = (each: string) => service.isWorking(each).then(() => '')
        const racing = [rotate(own), use(first), rotate(own), rotate(first), use(own)]
        const sent = [own, first, ...(await Promise.all(racing))].filter((each) => each.length === own.length)
        const working = []
        for (const each of sent) if (await service.isWorking(each)) working.push(each)
        assert.ok(working.length >= 1)
        assert.equal(await service.isWorking(working.at(-1) ?? ''), true)
      }
    })

    await t.test(
      'one that another process just makes the only one is found; an unknown one is looked up once',
      async () => {
        const { own } = await newLink(db)
        const find = t.mock.fn(async (): Promise<string | undefined> => 'its link')
        find.mock.mockImplementationOnce(async () => undefined)
        assert.equal(await findByAnyToken({ db, now: Date.now }, own, find), 'its link')
        find.mock.resetCalls()
        find.mock.mockImplementation(async () => undefined)
        for (const unknown of [newToken(), 'short'])
          assert.equal(await findByAnyToken({ db, now: Date.now }, unknown, find), undefined)
        assert.equal(find.mock.callCount(), 1)
      },
    )

    await t.test(
      'one key has one answer, for requests at the same time, and with the old token as with the new',
      async () => {
        const { own } = await newLink(db)
        const key = `key ${own}`
        const rotated = await Promise.all(Array.from({ length: 8 }, () => rotate(own, key)))
        const [next = ''] = rotated
        assert.deepEqual([...new Set(rotated)], [next])
        assert.equal(await rotate(next, key), next)
        assert.equal(await service.isWorking(own), false, 'the new one was used')
        assert.equal(await rotate(own, key), next, 'the old one still gets the answer')
        const other = await newLink(db)
        assert.equal(await rotate(other.own, key), 'idempotency_key_reused')
        assert.equal(await service.isWorking(other.own), true)
      },
    )

    await t.test('the key of a creation rotates nothing, though its response has the token', async () => {
      const { own } = await newLink(db)
      const request = { key: `creation ${own}`, request: 'a creation' }
      await service.idempotency.run(
        request,
        async () => {},
        async () => ({ code: 'x', token: own, manage_url: 'x' }),
      )
      assert.equal(await rotate(own, request.key), 'idempotency_key_reused')
    })
  })
}
