import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { newToken } from '../lib/token.ts'
import { rowsOf } from './rows.ts'

test('codes and tokens are charged before any of them is looked up', async () => {
  const lookedUp: string[] = []
  const needs = {
    links: {
      async findManyByToken(tokens: string[]) {
        lookedUp.push(...tokens)
        return tokens.map(() => new Problem('not_found', 'no link has this token'))
      },
    },
  }
  const charge = async (codes: number) => {
    assert.equal(codes, 3)
    throw new Problem('rate_limited', 'the quota is used up')
  }
  const links = [newToken(), 'k7dw3nq', newToken()]
  const charges = { charge, chargeNotFound: async () => undefined }
  await assert.rejects(rowsOf(needs as never, { links }, charges), /quota is used up/)
  assert.deepEqual(lookedUp, [])
})
