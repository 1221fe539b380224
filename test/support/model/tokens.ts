import assert from 'node:assert/strict'
import { fc } from '../fast-check.ts'
import { expectedRotation, isNewToken, noteRotation } from '../token-model.ts'
import * as model from './model.ts'

/** Rotations, also with tokens that no longer work, and retries: few keys are used often. */
export const tokens: model.CommandKind[] = [
  model.command('rotate', 2, { ...model.byToken, key: fc.nat(3) }, async (world, { key: number, ...by }) => {
    const { one, token: from, works, refusal, url } = model.addressOf(world, by)
    const key = number < 2 ? `${one.link.code}, key ${number} of ${one.tokens.sent[0]}` : undefined
    const expected = expectedRotation(one.tokens, from, key, {
      now: world.now,
      refusal: works ? undefined : model.codeOf(refusal),
    })
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    const response = await fetch(`${url}/rotate`, { method: 'POST', headers })
    const { token, code } = (await response.json()) as { token?: string; code?: string }
    const answer = token ?? code ?? ''
    if (expected !== undefined) return assert.equal(answer, expected)
    assert.ok(isNewToken(one.tokens, answer), answer)
    noteRotation(one.tokens, { from, token: answer, key }, world.now)
    one.through = undefined
  }),
]

/** At least one of the tokens that the owner was sent works, and after the use of a new one no other. None of a deleted link does. */
export async function checkTokens(world: model.World, one: model.ModelLink): Promise<void> {
  const statuses = []
  for (const [token] of one.tokens.sent.entries()) {
    const { url, works, refusal } = model.addressOf(world, { link: world.links.indexOf(one), token })
    const { status } = await fetch(url)
    assert.equal(status, works ? 200 : refusal)
    statuses.push(status)
  }
  assert.equal(statuses.includes(200), !one.isDeleted)
}
