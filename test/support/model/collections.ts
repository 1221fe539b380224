import assert from 'node:assert/strict'
import { fc } from '../fast-check.ts'
import { post, put, type Created } from '../server.ts'
import { noteRotation, tokensOf, voidTokens } from '../token-model.ts'
import { deleteLink, deleteWithUndo, expectFields, title, undelete } from './changes.ts'
import { byKey, keyOf, memberOf, membersOf, MOST, ownedOf, through, useLate, type ByKey } from './collection.ts'
import type { Keyed, Member, ModelCollection } from './collection.ts'
import { addressOf, byToken, codeOf, command, fieldsOf, linkAt, noteDeleted, noteLink } from './model.ts'
import type { CommandKind, World } from './model.ts'
import { createShare } from './shares.ts'

/** The status of a response, and the code of its problem. */
export const problemOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
]

/** What owners do to collections, and through them. */
export const collections: CommandKind[] = [
  command('collect', 2, {}, collect),
  command('join', 4, { ...byKey, links: fc.array(fc.record(byToken), { minLength: 1, maxLength: 3 }) }, join),
  command('create into', 2, byKey, async (world, by) => {
    const found = keyOf(world, by)
    if (found === undefined) return
    const header = { 'quirl-collection': found.token }
    const response = await post(`${world.server.url}/api/links`, { target: 'https://example.com/' }, header)
    if (!found.works) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
    assert.equal(response.status, 201)
    noteLink(world, (await response.json()) as Created).collections.add(found.it)
  }),
  command('leave', 2, through, async (world, by) => {
    const { it, one, works, isKeyed, url } = memberOf(world, by) ?? {}
    if (url === undefined || one === undefined || it === undefined) return
    const response = await fetch(url, { method: 'DELETE' })
    if (works !== true)
      return assert.deepEqual(await problemOf(response), [404, isKeyed ? 'unknown_code' : 'collection_not_found'])
    assert.equal(response.status, 200)
    one.collections.delete(it)
  }),
  command('change through', 2, { ...through, title }, async (world, { title, ...by }) => {
    const named = ownedOf(world, by)
    if (named === undefined) return
    await expectFields(world, await put(named.url, { title }), named, { ...fieldsOf(named.one), title })
  }),
  command('delete through', 1, through, async (world, by) => {
    const named = ownedOf(world, by)
    if (named !== undefined) await deleteLink(named, 'link=true')
  }),
  command('delete through with a way back', 2, through, async (world, by) => {
    const named = ownedOf(world, by)
    if (named !== undefined) await deleteWithUndo(world, named, 'link=true')
  }),
  command('bring back through', 3, through, async (world, by) => {
    const named = ownedOf(world, by)
    if (named !== undefined) await undelete(world, named, () => useLate(world, named.one))
  }),
  command('rotate through', 2, through, async (world, by) => {
    const { it, one, works, refusal, url } = ownedOf(world, by) ?? {}
    if (one === undefined) return
    const response = await fetch(`${url}/rotate`, { method: 'POST' })
    if (works !== true) return assert.equal(response.status, refusal)
    const { token } = (await response.json()) as Created
    noteRotation(one.tokens, { from: '', token, key: undefined }, world.now)
    one.through = it
  }),
  command('share through', 1, { ...through, csv: fc.boolean() }, async (world, { csv, ...by }) => {
    const named = ownedOf(world, by)
    if (named !== undefined) await createShare(world, named, { name: null, csv, destination: false })
  }),
  command('rotate collection', 2, byKey, async (world, by) => {
    const { it, works, url } = keyOf(world, by) ?? {}
    if (it === undefined) return
    const response = await fetch(`${url}/rotate`, { method: 'POST' })
    if (works !== true) return assert.equal(response.status, 404)
    const { token } = (await response.json()) as Created
    noteRotation(it.tokens, { from: '', token, key: undefined }, world.now)
  }),
  command('end collection', 1, { ...byKey, withLinks: fc.boolean() }, end),
  command('read collection', 3, byKey, async (world, by) => {
    const { it, works, url = '' } = keyOf(world, by) ?? {}
    if (it !== undefined) await readCollection(world, it, { works: works === true, url })
  }),
]

/** Creates a collection, unless the plan has enough. */
async function collect(world: World): Promise<void> {
  if (world.collections.length === MOST) return
  const { token } = (await (await post(`${world.server.url}/api/collections`, {})).json()) as Created
  world.collections.push({ tokens: tokensOf(token), isEnded: false, looks: new Map(), shares: [] })
}

/** A collection with the first link, without which few plans would get as far as to the end of a membership. */
export async function collectFirst(world: World): Promise<void> {
  await collect(world)
  await join(world, { collection: 0, key: 0, links: [{ link: 0, token: 0 }] })
}

async function join(
  world: World,
  { links, ...by }: ByKey & { links: { link: number; token: number }[] },
): Promise<void> {
  const found = keyOf(world, by)
  if (found === undefined) return
  const { it, works, url } = found
  // Of two tokens of a link, the order would decide which works.
  const wanted = [...new Map(links.map((each) => [linkAt(world, each.link), each])).values()]
  const tokens = wanted.map(({ link, token }) => {
    const { sent } = linkAt(world, link).tokens
    return sent.at(-1 - (token % sent.length)) ?? ''
  })
  const response = await post(`${url}/links`, { tokens })
  // No token of a link is used then.
  if (!works) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
  const { results } = (await response.json()) as { results: object[] }
  const expected = wanted.map((each, index) => {
    const address = addressOf(world, each)
    const { code } = address.one.link
    const wasIn = address.one.collections.has(it)
    if (address.works) address.one.collections.add(it)
    return address.works ? { index, code, added: !wasIn } : { index, error: codeOf(address.refusal) }
  })
  const answers = results.map((row) => ('error' in row ? { ...row, error: (row.error as { code: string }).code } : row))
  assert.deepEqual(answers, expected)
}

async function end(world: World, { withLinks, ...by }: ByKey & { withLinks: boolean }): Promise<void> {
  const { it, works, url } = keyOf(world, by) ?? {}
  if (it === undefined) return
  const response = await fetch(`${url}?links=${withLinks}`, { method: 'DELETE' })
  if (works !== true) return assert.equal(response.status, 404)
  const members = membersOf(world, it)
  const deleted = withLinks ? { deleted: true, links: members.length } : { deleted: true }
  assert.deepEqual([response.status, await response.json()], [200, deleted])
  if (withLinks) for (const one of members) noteDeleted(one)
  for (const one of world.links) one.collections.delete(it)
  it.isEnded = true
  voidTokens(it.tokens)
}

/** Compares what a collection says of its links: which they are, their number, and the visits of all. */
async function readCollection(
  world: World,
  it: ModelCollection,
  { works, url }: { works: boolean; url: string },
): Promise<void> {
  const [details, list] = [await fetch(url), await fetch(`${url}/links?limit=200`)]
  if (!works) return assert.deepEqual([details.status, list.status], [404, 404])
  const members = membersOf(world, it)
  const read = (await details.json()) as { links: number; looks: object; totals: object }
  const { links } = (await list.json()) as {
    links: { code: string; title: string | null; totals: { scans: number } }[]
  }
  const listed = links.map(({ code, title, totals }) => [code, title, totals.scans] as const)
  const expected = members.map((one) => [one.link.code, fieldsOf(one).title, one.scans.length] as const)
  assert.deepEqual(listed.toSorted(), expected.toSorted())
  const scans = members.flatMap((one) => one.scans)
  const { last_scan_at: _last, ...totals } = read.totals as Record<string, unknown>
  assert.deepEqual(read.looks, Object.fromEntries(it.looks))
  assert.deepEqual(
    [read.links, totals],
    [members.length, { scans: scans.length, humans: scans.filter(({ bot }) => !bot).length }],
  )
}

/** Reads each collection by each of its tokens, and each link through it. */
export async function checkCollections(world: World): Promise<void> {
  for (const [collection, it] of world.collections.entries()) {
    for (const [key] of it.tokens.sent.entries()) {
      const { works, url } = keyOf(world, { collection, key }) as Keyed
      assert.ok(!(works && it.isEnded))
      await readCollection(world, it, { works, url })
    }
    for (const [link, one] of world.links.entries()) {
      const { works, refusal, url } = ownedOf(world, { collection, key: 0, link }) as Member
      const response = await fetch(`${url}/history`)
      assert.equal(response.status, works ? 200 : refusal, one.link.code)
      await response.body?.cancel()
    }
  }
}
