import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../db/database.ts'
import { drivers } from '../../test/support/drivers.ts'
import type { Link } from './link.ts'
import { instanceOf } from './instance.ts'
import { openLinkIds } from './ids.ts'
import { deletePurges, findPurges, insertDeletions } from './purge-store.ts'
import { insertLink, insertLinks, type NewLink } from './create-store.ts'
import * as store from './store.ts'
import { createVisitedOf } from './visited.ts'

const content: Omit<Link, 'id'> = {
  code: 'Summer',
  kind: 'url',
  target: 'https://example.com/ü?a=1#b',
  payload: { nested: ['x', { y: 'ü' }] },
  title: 'Tïtle',
  campaign: null,
  utm: { utm_source: 'b', utm_medium: 'a' },
  active: true,
  revision: 1,
  createdAt: 1_795_225_879_440,
  updatedAt: 1_795_225_879_440,
  removed: null,
}

let lastId = 2 ** 33

async function insert(
  db: Database,
  code: string,
  { token = `token of ${code}`, id = ++lastId }: { token?: string; id?: number } = {},
): Promise<Link> {
  const link = newLink(code, { token, id })
  assert.equal(await insertLink(db, link), true)
  return found(await store.findByCode(db.read, link.codeKey))
}

function newLink(code: string, { token = `token ${++lastId}`, id = ++lastId } = {}): NewLink {
  return { ...content, id, code, codeKey: code.toLowerCase(), tokenHash: token }
}

const remove = (db: Database, link: Link) => db.transaction((transaction) => store.deleteLink(transaction, link))

function found(link: Link | 'gone' | undefined): Link {
  assert.ok(typeof link === 'object')
  return link
}

for (const driver of drivers) {
  test(`on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return

    await t.test('a link is read by its code and by its token as it was written', async () => {
      const { id, ...link } = await insert(db, 'Summer')
      assert.equal(typeof id, 'number')
      assert.deepEqual(link, content)
      assert.deepEqual(Object.keys(link.utm), ['utm_source', 'utm_medium'])
      assert.deepEqual(await store.findByToken(db.read, 'token of Summer'), { id, ...link })
    })

    await t.test('unknown codes and tokens are absent', async () => {
      assert.equal(await store.findByCode(db.read, 'nothing'), undefined)
      assert.equal(await store.findByToken(db.read, 'nothing'), undefined)
    })

    await t.test('a code is taken once, however many take it at once', async () => {
      const alone = Array.from({ length: 10 }, () => insertLink(db, newLink('Contested')))
      const many = Array.from({ length: 10 }, () =>
        db.transaction(async (transaction) => {
          const kept = await insertLinks(transaction, [newLink('contested'), newLink('CONTESTED')])
          return kept.has('contested')
        }),
      )
      assert.deepEqual((await Promise.all([...alone, ...many])).filter(Boolean), [true])
    })

    await t.test('a transaction that fails leaves nothing, not even its code', async () => {
      const failing = db.transaction(async (transaction) => {
        await insertLinks(transaction, [newLink('undone')])
        throw new Error('stop')
      })
      await assert.rejects(failing, /stop/)
      assert.equal(await store.findByCode(db.read, 'undone'), undefined)
      await insert(db, 'undone')
    })

    await t.test('an update writes the next revision only, and only once', async () => {
      const link = await insert(db, 'update')
      const next = {
        ...link,
        target: null,
        payload: {},
        title: null,
        utm: {},
        active: false,
        revision: 2,
        updatedAt: 5,
      }
      const results = await Promise.all([store.updateLink(db.write, next), store.updateLink(db.write, next)])
      assert.deepEqual(results.sort(), [false, true])
      assert.deepEqual(await store.findByCode(db.read, 'update'), next)
    })

    await t.test('a deleted link is gone, and its code stays taken', async () => {
      const link = await insert(db, 'delete')
      assert.equal(await remove(db, { ...link, revision: 2 }), false)
      assert.equal(await remove(db, link), true)
      assert.equal(await remove(db, link), false)
      assert.equal(await store.findByCode(db.read, 'delete'), 'gone')
      assert.equal(await store.findByToken(db.read, 'token of delete'), undefined)
      assert.equal(await insertLink(db, newLink('Delete')), false)
      const kept = await db.transaction((transaction) =>
        insertLinks(transaction, [newLink('DELETE'), newLink('beside')]),
      )
      assert.deepEqual(kept, new Set(['beside']))
    })

    await t.test('a deleted link is named until what is kept elsewhere about it has been removed', async () => {
      await db.transaction(async (transaction) => {
        for (const id of [5, 3]) await insertDeletions(transaction, [id])
      })
      assert.deepEqual((await findPurges(db.read)).sort(), [3, 5])
      await deletePurges(db.write, [3, 4])
      assert.deepEqual(await findPurges(db.read), [5])
      await deletePurges(db.write, [])
      await deletePurges(db.write, [5])
      assert.deepEqual(await findPurges(db.read), [])
    })

    await t.test('what is and what was a link is known for good, and nothing else', async () => {
      const { known } = instanceOf(db)
      const [there, gone] = [await insert(db, 'there'), await insert(db, 'no-more')]
      await db.transaction(async (transaction) => {
        await store.deleteLink(transaction, gone)
        await insertDeletions(transaction, [gone.id])
      })
      await deletePurges(db.write, [gone.id])
      assert.deepEqual(await known([there.id, gone.id, 7, lastId + 1]), new Set([there.id, gone.id]))
      assert.deepEqual(await known([]), new Set())
      await insertDeletions(db.write, [gone.id, 7])
      await insertDeletions(db.write, [gone.id, 7])
      assert.deepEqual(await known([gone.id, 7]), new Set([gone.id, 7]))
    })

    await t.test('a store has one name', async () => {
      const names = [await instanceOf(db).id(), await instanceOf({ read: db.write }).id(), await instanceOf(db).id()]
      assert.equal(new Set(names).size, 1)
      assert.match(names[0] ?? '', /^[0-9a-f-]{36}$/)
    })

    await t.test('numbers count up from where there is room behind, and the largest kept one is told', async () => {
      const crowded = await insert(db, 'crowded', { id: 2 ** 40 })
      const { id } = crowded
      const draws = [id - 1, id, id - 2 ** 28 + 1, id - 2 ** 28]
      const ids = await openLinkIds(db, () => draws.shift() ?? 0)
      assert.deepEqual(draws, [])
      assert.deepEqual([ids.next(), ids.next()], [id - 2 ** 28, id - 2 ** 28 + 1])
      assert.equal(ids.newest(), undefined)
      ids.keep(9)
      ids.keep(8)
      assert.equal(ids.newest(), 9)
      await remove(db, crowded)
    })

    await t.test('a removal is written once, counts as a change, is read back, and can be taken back', async () => {
      const link = await insert(db, 'Removed')
      const removed = { at: 7, reason: 'why', source: 'list', entry: 'bad.example/' } as const
      const results = [await store.setRemoval(db.write, link, removed), await store.setRemoval(db.write, link, removed)]
      assert.deepEqual(results, [true, false])
      const expected = { ...link, revision: 2, removed }
      assert.deepEqual(await store.findByCode(db.read, 'removed'), expected)
      assert.deepEqual(await store.findRemovedByEntry(db.read), [expected])
      assert.deepEqual(await store.findLiveAfter(db.read, link.id - 1, 10), [])
      assert.equal(await store.setRemoval(db.write, expected, null), true)
      assert.deepEqual(await store.findLiveAfter(db.read, link.id - 1, 10), [{ ...link, revision: 3 }])
      assert.deepEqual(await store.findRemovedByEntry(db.read), [])
    })

    await t.test(
      'a visit finds what it needs of a link by its code, also when it is paused, removed or gone',
      async () => {
        const visited = createVisitedOf(db)
        const link = await insert(db, 'Visited')
        const needed = {
          id: link.id,
          code: 'Visited',
          kind: 'url',
          target: content.target,
          payload: JSON.stringify(content.payload),
          utm: JSON.stringify(content.utm),
          active: true,
          removedBy: null,
        }
        assert.deepEqual(await visited('visited'), needed)
        assert.equal(await visited('unknown'), undefined)
        const paused = { ...link, target: null, active: false, revision: 2 }
        assert.equal(await store.updateLink(db.write, paused), true)
        assert.deepEqual(await visited('visited'), { ...needed, target: null, active: false })
        const removal = { at: 7, reason: 'why', source: 'legal', entry: null } as const
        assert.equal(await store.setRemoval(db.write, paused, removal), true)
        assert.deepEqual(await visited('visited'), { ...needed, target: null, active: false, removedBy: 'legal' })
        assert.equal(await remove(db, { ...paused, revision: 3 }), true)
        assert.equal(await visited('visited'), 'gone')
      },
    )

    await t.test('live links come in pages, by id', async () => {
      const links = [await insert(db, 'page-1'), await insert(db, 'page-2'), await insert(db, 'page-3')]
      const [first] = links
      assert.ok(first)
      assert.deepEqual(await store.findLiveAfter(db.read, first.id - 1, 2), links.slice(0, 2))
      assert.deepEqual(await store.findLiveAfter(db.read, first.id + 1, 2), links.slice(2))
    })

    await t.test('two links never share a token', async () => {
      await insert(db, 'first-token', { token: 'same token' })
      await assert.rejects(insert(db, 'second-token', { token: 'same token' }))
      assert.equal(await store.findByCode(db.read, 'second-token'), undefined)
    })

    await t.test('an answer is kept once, found until it is too old, and then forgotten', async () => {
      const row = { lookup: 'l', request_hash: 'r', sealed: 's', created_at: 1000 }
      assert.equal(await store.insertReplay(db.write, row), true)
      assert.equal(await store.insertReplay(db.write, { ...row, sealed: 'other' }), false)
      assert.deepEqual({ ...(await store.findReplay(db.read, 'l', 1000)) }, row)
      assert.equal(await store.findReplay(db.read, 'l', 1001), undefined)
      await store.deleteReplays(db.write, 1000)
      assert.ok(await store.findReplay(db.read, 'l', 0))
      await store.deleteReplays(db.write, 1001)
      assert.equal(await store.findReplay(db.read, 'l', 0), undefined)
    })
  })
}

test('no two stores have the same name', async (t) => {
  const [sqlite] = drivers
  const names = await Promise.all(
    [0, 1].map(async () => {
      const db = await sqlite?.open(t)
      return db && instanceOf(db).id()
    }),
  )
  assert.notEqual(names[0], names[1])
})
