import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '../fast-check.ts'
import { post, put } from '../server.ts'
import { useToken } from '../token-model.ts'
import * as model from './model.ts'

/** Revisions that the history holds. */
const LISTED = 50

export const target = fc.constantFrom('https://example.com/', 'https://example.org/new', 'https://example.net/newer')
export const title = fc.constantFrom(null, 'Menu', 'Card')
/** Mostly none, and few others, so that a campaign has several links. */
export const campaign = fc.constantFrom(null, 'spring', 'summer')

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
  model.command('put into a campaign', 2, { ...model.byToken, campaign }, async (world, { campaign, ...by }) => {
    await change(world, by, { campaign })
  }),
  model.command('delete', 1, model.byToken, (world, by) => deleteLink(model.addressOf(world, by))),
  model.command('delete with a way back', 2, model.byToken, (world, by) =>
    deleteWithUndo(world, model.addressOf(world, by)),
  ),
  model.command('bring back', 4, model.byToken, async (world, by) => {
    const { token, ...named } = model.addressOf(world, by)
    await undelete(world, named, () => void useToken(named.one.tokens, token, world.now))
  }),
]

/** @param query says that the link itself is meant, where that needs saying */
export async function deleteLink({ one, works, refusal, url }: model.Named, query = ''): Promise<void> {
  // For good, also where it could be brought back.
  const isFound = works || refusal === 410
  assert.equal((await fetch(`${url}?${query}`, { method: 'DELETE' })).status, isFound ? 200 : 404)
  if (isFound) model.noteDeleted(one)
}

export async function deleteWithUndo(world: model.World, named: model.Named, query = ''): Promise<void> {
  const { one, works, refusal, url } = named
  const response = await fetch(`${url}?${query}&undo=true`, { method: 'DELETE' })
  if (!works) return assert.equal(response.status, refusal)
  const { code } = one.link
  const until = new Date(world.now + model.UNDO_MS).toISOString()
  assert.deepEqual(await response.json(), { deleted: true, code, undo_until: until })
  Object.assign(one, { isDeleted: true, deletedAt: world.now })
  noteUnseen(one)
}

/**
 * Brings a link back: what it was before is what every later command, and the end of the plan, expects.
 * @param use notes what the use of the credential does to its tokens
 */
export async function undelete(world: model.World, named: model.Named, use: () => void): Promise<void> {
  const { one, works, refusal, url } = named
  const response = await fetch(`${url}/undelete`, { method: 'POST' })
  if (!works && refusal === 404) return assert.equal(response.status, 404)
  if (!works) {
    Object.assign(one, { isDeleted: false, deletedAt: undefined })
    noteUnseen(one)
    use()
  }
  await expectFields(world, response, { ...named, works: true }, model.fieldsOf(one))
}

/** Brings back each link that can be, so that what the plan ends with is compared of it, too. */
export async function bringAllBack(world: model.World): Promise<void> {
  for (const [link, one] of world.links.entries()) {
    if (!model.canComeBack(one, world.now)) continue
    const { token, ...named } = model.addressOf(world, { link, token: 0 })
    await undelete(world, named, () => void useToken(one.tokens, token, world.now))
  }
}

/** Deletion and its undoing each count as a change, of no field. */
function noteUnseen({ revisions }: model.ModelLink): void {
  const present = revisions.at(-1)
  if (present !== undefined) present.number++
}

export type By = Parameters<typeof model.addressOf>[1]

/** Sends a change of fields that stand in the body as they stand in the details. */
export async function change(world: model.World, by: By, fields: Partial<model.Fields>): Promise<void> {
  const named = model.addressOf(world, by)
  await expectFields(world, await put(named.url, fields), named, { ...model.fieldsOf(named.one), ...fields })
}

async function revert(world: model.World, { revision, ...by }: By & { revision: number }): Promise<void> {
  const named = model.addressOf(world, by)
  const { one, works, url } = named
  const response = await post(`${url}/revert`, { revision })
  const { fields } = one.revisions.slice(-LISTED).find(({ number }) => number === revision) ?? {}
  const isListed = fields !== undefined
  if (works && !isListed) {
    const { code } = (await response.json()) as { code: string }
    assert.deepEqual([response.status, code], [404, 'unknown_revision'])
  } else {
    const { has_password } = model.fieldsOf(one)
    const expected = { ...(fields ?? model.fieldsOf(one)), has_password }
    await expectFields(world, response, named, expected)
  }
}

/**
 * Compares the details after a change.
 * @param isOther whether it has changed what is in no field
 */
export async function expectFields(
  world: model.World,
  response: Response,
  { one, works, refusal }: Pick<model.Named, 'one' | 'works' | 'refusal'>,
  expected: model.Fields,
  isOther = false,
): Promise<void> {
  if (!works) return assert.equal(response.status, refusal)
  const details = (await response.json()) as model.Fields & Record<string, unknown>
  const fields = Object.fromEntries(Object.keys(expected).map((name) => [name, details[name]]))
  assert.deepEqual([response.status, fields], [200, expected])
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
