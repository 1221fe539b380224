import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '../fast-check.ts'
import { post, put } from '../server.ts'
import { voidTokens } from '../token-model.ts'
import * as model from './model.ts'

/** Revisions that the history holds. */
const LISTED = 50

export const target = fc.constantFrom('https://example.com/', 'https://example.org/new', 'https://example.net/newer')
export const title = fc.constantFrom(null, 'Menu', 'Card')

/** What owners do to their links. */
export const changes: model.CommandKind[] = [
  model.command('create', 2, {}, model.createLink),
  model.command('change', 2, { ...model.byToken, target, title }, async (world, { target, title, ...by }) => {
    await change(world, by, { target, title })
  }),
  model.command('switch', 2, { ...model.byToken, active: fc.boolean() }, async (world, { active, ...by }) => {
    await change(world, by, { active })
  }),
  model.command('revert', 2, { ...model.byToken, revision: fc.integer({ min: 1, max: 8 }) }, revert),
  model.command('delete', 1, model.byToken, async (world, by) => {
    const { one, works, url } = model.addressOf(world, by)
    assert.equal((await fetch(url, { method: 'DELETE' })).status, works ? 200 : 404)
    if (!works) return
    one.isDeleted = true
    voidTokens(one.tokens)
  }),
  model.command('delete and bring back', 2, model.byToken, undelete),
]

/** What the link was before is what every later command, and the end of the plan, expects. */
async function undelete(world: model.World, by: By): Promise<void> {
  const { one, works, url } = model.addressOf(world, by)
  assert.equal((await fetch(`${url}?undo=true`, { method: 'DELETE' })).status, works ? 200 : 404)
  assert.equal((await fetch(url)).status, works ? 410 : 404)
  const back = await fetch(`${url}/undelete`, { method: 'POST' })
  const present = one.revisions.at(-1)
  // Each of the two counts as a change, of no field.
  if (works && present !== undefined) present.number += 2
  await expectFields(world, back, works ? one : undefined, model.fieldsOf(one))
}

export type By = Parameters<typeof model.addressOf>[1]

/** Sends a change of fields that stand in the body as they stand in the details. */
export async function change(world: model.World, by: By, fields: Partial<model.Fields>): Promise<void> {
  const { one, works, url } = model.addressOf(world, by)
  await expectFields(world, await put(url, fields), works ? one : undefined, { ...model.fieldsOf(one), ...fields })
}

async function revert(world: model.World, { revision, ...by }: By & { revision: number }): Promise<void> {
  const { one, works, url } = model.addressOf(world, by)
  const response = await post(`${url}/revert`, { revision })
  const { fields } = one.revisions.slice(-LISTED).find(({ number }) => number === revision) ?? {}
  const isListed = fields !== undefined
  if (works && !isListed) {
    const { code } = (await response.json()) as { code: string }
    assert.deepEqual([response.status, code], [404, 'unknown_revision'])
  } else {
    const { has_password } = model.fieldsOf(one)
    const expected = { ...(fields ?? model.fieldsOf(one)), has_password }
    await expectFields(world, response, works ? one : undefined, expected)
  }
}

/**
 * Compares the details after a change.
 * @param one undefined when the token does not work
 * @param isOther whether it has changed what is in no field
 */
export async function expectFields(
  world: model.World,
  response: Response,
  one: model.ModelLink | undefined,
  expected: model.Fields,
  isOther = false,
): Promise<void> {
  if (one === undefined) return assert.equal(response.status, 404)
  const { target, title, active, rules, has_password } = (await response.json()) as model.Fields
  assert.deepEqual([response.status, { target, title, active, rules, has_password }], [200, expected])
  if (isOther || !isDeepStrictEqual(expected, model.fieldsOf(one))) model.noteRevision(world, one, expected)
  assert.equal(response.headers.get('etag'), `"${model.numberOf(one)}"`)
}

/** Compares the history with the list of all states. */
export async function checkHistory(world: model.World, one: model.ModelLink): Promise<void> {
  const response = await fetch(`${model.workingUrl(world, one)}/history`)
  const { revisions } = (await response.json()) as { revisions: object[] }
  const states = one.revisions.map(({ number, at, fields }, index) => {
    const before = one.revisions[index - 1]?.fields
    const names = Object.keys(fields) as (keyof model.Fields)[]
    const changed = names.filter((name) => !isDeepStrictEqual(before?.[name], fields[name]))
    const changes =
      before && Object.fromEntries(changed.map((name) => [name, { before: before[name], after: fields[name] }]))
    return { revision: number, at: new Date(at).toISOString(), changes: changes ?? null }
  })
  const listed = states.toReversed().slice(0, LISTED)
  const oldest = listed.at(-1)
  if (oldest !== undefined) oldest.changes = null
  assert.deepEqual(revisions, listed)
}
