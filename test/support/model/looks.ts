import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '../fast-check.ts'
import { post, put, withoutWarnings, type Created } from '../server.ts'
import { expectFields } from './changes.ts'
import { byKey, isKept, keyOf, membersOf, ownedOf, through, useLate } from './collection.ts'
import type { ByKey, ModelCollection } from './collection.ts'
import { problemOf } from './collections.ts'
import {
  addressOf,
  byToken,
  canComeBack,
  command,
  fieldsOf,
  linkAt,
  noteLink,
  noteRevision,
  numberOf,
} from './model.ts'
import type { CommandKind, Named, World } from './model.ts'

/** A collection has few looks: a plan removes them, changes them, and names what is none. */
const look = fc.constantFrom('red', 'blue')
const design = fc.constantFrom(null, { fg: '#123456', shape: 'dots' }, { fg: '#800000' })

/** What a change says of a design. */
const wish = fc.oneof({ weight: 4, arbitrary: fc.record({ look }) }, { weight: 1, arbitrary: fc.constant(null) })
type Wish = { look: string } | null

/** The design that a link gets; undefined for a look that is none. A later change of the look leaves it. */
const designOf = ({ looks }: ModelCollection, wish: Wish) => (wish === null ? null : looks.get(wish.look))

/** Looks that owners save, and give to their links. */
export const looks: CommandKind[] = [
  command('save a look', 3, { ...byKey, look, design }, saveLook),
  command('create with a look', 1, { ...byKey, look }, createWithLook),
  command('give a look through', 3, { ...through, wish }, async (world, { wish, ...by }) => {
    const named = ownedOf(world, by)
    if (named === undefined) return
    const response = await put(named.url, { design: wish })
    await expectDesign(world, response, named, designOf(named.it, wish))
  }),
  command('give a look', 2, { ...byToken, ...byKey, wish }, async (world, { wish, collection, key, ...by }) => {
    const named = addressOf(world, by)
    // Without a look, the collection is not asked for.
    const found = named.works && wish !== null ? keyOf(world, { collection, key }) : undefined
    const token = found?.token ?? `collection_${'x'.repeat(43)}`
    const response = await put(named.url, { design: wish }, { 'quirl-collection': token })
    if (named.works && wish !== null && found?.works !== true)
      return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
    await expectDesign(world, response, named, found === undefined ? null : designOf(found.it, wish))
  }),
  command('give a look to many', 2, { ...byKey, links: fc.uniqueArray(fc.nat(3), { minLength: 1 }), wish }, giveToMany),
]

async function saveLook(
  world: World,
  { look, design, ...by }: ByKey & { look: string; design: object | null },
): Promise<void> {
  const { it, works, url } = keyOf(world, by) ?? {}
  if (it === undefined) return
  const response = await put(url ?? '', { looks: { [look]: design } })
  if (works !== true) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
  if (design === null) it.looks.delete(look)
  else it.looks.set(look, design)
  const { looks } = (await response.json()) as { looks: object }
  assert.deepEqual([response.status, looks], [200, Object.fromEntries(it.looks)])
}

async function createWithLook(world: World, { look, ...by }: ByKey & { look: string }): Promise<void> {
  const found = keyOf(world, by)
  if (found === undefined) return
  const { it, token, works } = found
  const body = { target: 'https://example.com/', design: { look } }
  const response = await post(`${world.server.url}/api/links`, body, { 'quirl-collection': token })
  if (!works) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
  const design = it.looks.get(look)
  if (design === undefined) return assert.deepEqual(await problemOf(response), [400, 'invalid_request'])
  assert.equal(response.status, 201)
  const created = (await response.json()) as Created & { design: object }
  assert.deepEqual(created.design, design)
  noteLink(world, created, { design }).collections.add(it)
}

/** @param design undefined for a look that is none */
async function expectDesign(
  world: World,
  response: Response,
  named: Named,
  design: object | null | undefined,
): Promise<void> {
  if (named.works && design === undefined) return assert.deepEqual(await problemOf(response), [400, 'invalid_request'])
  await expectFields(world, response, named, { ...fieldsOf(named.one), design: design ?? null })
}

async function giveToMany(
  world: World,
  { links, wish, ...by }: ByKey & { links: number[]; wish: Wish },
): Promise<void> {
  const found = keyOf(world, by)
  if (found === undefined) return
  const { it, works, url } = found
  const wanted = [...new Set(links.map((at) => linkAt(world, at)))]
  const changes = wanted.map(({ link: { code } }) => ({ code, design: wish }))
  const response = await post(`${url}/changes`, { changes })
  if (!works) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
  const { results } = withoutWarnings((await response.json()) as { results: Row[] })
  const [members, design] = [membersOf(world, it), designOf(it, wish)]
  const expected = wanted.map((one, index) => {
    const { code } = one.link
    const isDeleted = isKept(one, it, world.now) && canComeBack(one, world.now)
    if (!members.includes(one)) return [index, isDeleted ? 'link_deleted' : 'unknown_code']
    useLate(world, one)
    if (design === undefined) return [index, 'invalid_request']
    const isChanged = !isDeepStrictEqual(design, fieldsOf(one).design)
    if (isChanged) noteRevision(world, one, { ...fieldsOf(one), design })
    return [index, code, isChanged, `"${numberOf(one)}"`]
  })
  const rows = results.map(({ index, code, changed, etag, error }) =>
    error === undefined ? [index, code, changed, etag] : [index, error.code],
  )
  assert.deepEqual(rows, expected)
  const isAny = design !== undefined && wanted.some((one) => members.includes(one))
  assert.equal(response.status, isAny ? 200 : 400)
}

interface Row {
  index: number
  code?: string
  changed?: boolean
  etag?: string
  error?: { code: string }
}
