import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { drivers } from '../../test/support/drivers.ts'
import { insertLink, insertLinks } from './create-store.ts'
import * as responses from './idempotency/idempotency-store.ts'
import type { Link } from './link.ts'
import * as store from './store.ts'
import { createVisitedOf } from './visited.ts'
import { content, insert, newLink, remove } from '../../test/support/stored-links.ts'

for (const driver of drivers) {
  test(`on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return

    await t.test('a link is read by its code and by its token as it was written', async () => {
      const { id, ...link } = await insert(db, 'Summer')
      assert.equal(typeof id, 'number')
      assert.deepEqual(link, content)
      assert.deepEqual(Object.keys(link.utm), ['utm_source', 'utm_medium'])
      assert.deepEqual(await store.findByToken(db.read, 'token of Summer', 0), { id, ...link })
    })

    await t.test('many links are read by their tokens at once, and unknown ones are absent', async () => {
      const links = [await insert(db, 'Many-1'), await insert(db, 'Many-2')]
      const found = await store.findByTokens(db.read, ['token of Many-2', 'nothing', 'token of Many-1'], 0)
      assert.deepEqual(found, new Map(links.map((link, at) => [`token of Many-${at + 1}`, link])))
    })

    await t.test('unknown codes and tokens are absent', async () => {
      assert.equal(await store.findByCode(db.read, 'nothing'), undefined)
      assert.equal(await store.findByToken(db.read, 'nothing', 0), undefined)
    })

    await t.test('only one of many concurrent creations takes a code', async () => {
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
        password: null,
        active: false,
        revision: 2,
        updatedAt: 5,
      }
      const by = { tokenHash: 'token of update', now: 0 }
      assert.equal(await store.updateLink(db.write, next, { ...by, tokenHash: 'token of another' }), false)
      const results = await Promise.all([store.updateLink(db.write, next, by), store.updateLink(db.write, next, by)])
      assert.deepEqual(results.sort(), [false, true])
      assert.deepEqual(await store.findByCode(db.read, 'update'), next)
    })

    await t.test('a deleted link is gone, and its code stays taken', async () => {
      const link = await insert(db, 'delete')
      assert.equal(await remove(db, { ...link, revision: 2 }), false)
      assert.equal(await remove(db, link), true)
      assert.equal(await remove(db, link), false)
      assert.equal(await store.findByCode(db.read, 'delete'), 'gone')
      assert.equal(await store.findByToken(db.read, 'token of delete', 0), undefined)
      assert.equal(await insertLink(db, newLink('Delete')), false)
      const kept = await db.transaction((transaction) =>
        insertLinks(transaction, [newLink('DELETE'), newLink('beside')]),
      )
      assert.deepEqual(kept, new Set(['beside']))
    })

    await t.test('a creation that waits for the deletion of the link with its code does not get the code', async () => {
      const link = await insert(db, 'leaving')
      const isDeleted = Promise.withResolvers<void>()
      const deletion = db.transaction(async (transaction) => {
        assert.equal(await store.deleteLinkRow(transaction, link), true)
        isDeleted.resolve()
        // The creations begin meanwhile.
        await sleep(200)
      })
      await isDeleted.promise
      const alone = insertLink(db, newLink('Leaving'))
      const several = db.transaction((transaction) =>
        insertLinks(transaction, [newLink('LEAVING'), newLink('staying')]),
      )
      await deletion
      assert.equal(await alone, false)
      assert.deepEqual(await several, new Set(['staying']))
      assert.equal(await store.findByCode(db.read, 'leaving'), 'gone')
    })

    await t.test('a suspension is written once, increases the revision, is read again, and can end', async () => {
      const link = await insert(db, 'Removed')
      const suspension = { at: 7, reason: 'why', source: 'list', expression: 'bad.example/' } as const
      const results = [
        await store.setSuspension(db.write, link, suspension),
        await store.setSuspension(db.write, link, suspension),
      ]
      assert.deepEqual(results, [true, false])
      const expected = { ...link, revision: 2, suspension }
      assert.deepEqual(await store.findByCode(db.read, 'removed'), expected)
      assert.deepEqual((await store.findSuspendedByRuling(db.read, { at: 0, id: 0 })).links, [expected])
      assert.deepEqual((await store.findActiveAfter(db.read, link.id - 1)).links, [])
      assert.equal(await store.setSuspension(db.write, expected, null), true)
      assert.deepEqual((await store.findActiveAfter(db.read, link.id - 1)).links, [{ ...link, revision: 3 }])
      assert.deepEqual((await store.findSuspendedByRuling(db.read, { at: 0, id: 0 })).links, [])
    })

    await t.test('a visit finds a link by its code, also when it is paused, suspended or deleted', async () => {
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
        suspendedBy: null,
        isWarned: false,
        rules: JSON.stringify(content.rules),
        placements: JSON.stringify(content.placements),
        password: content.password,
      }
      assert.deepEqual(await visited('visited'), needed)
      assert.equal(await visited('unknown'), undefined)
      const paused = { ...link, target: null, rules: [], placements: [], active: false, revision: 2 }
      assert.equal(await store.updateLink(db.write, paused, { tokenHash: 'token of Visited', now: 0 }), true)
      assert.deepEqual(await visited('visited'), {
        ...needed,
        target: null,
        rules: null,
        placements: null,
        active: false,
      })
      const suspension = { at: 7, reason: 'why', source: 'legal', expression: null } as const
      assert.equal(await store.setSuspension(db.write, paused, suspension), true)
      assert.deepEqual(await visited('visited'), {
        ...needed,
        target: null,
        rules: null,
        placements: null,
        active: false,
        suspendedBy: 'legal',
      })
      assert.equal(await remove(db, { ...paused, revision: 3 }), true)
      assert.equal(await visited('visited'), 'gone')
    })

    await t.test('a warning is of the revision that was read, and a visit finds it; a report is of none', async () => {
      const visited = createVisitedOf(db)
      const isWarned = async () => ((await visited('warned')) as { isWarned: boolean }).isWarned
      const link = await insert(db, 'Warned')
      const warning = { at: 7, reason: 'why' }
      assert.equal(await store.setWarning(db.write, link, warning), true)
      assert.equal(await store.setWarning(db.write, link, null), false)
      assert.equal(await isWarned(), true)
      const reported = { at: 100, networks: 5, reason: 'spam' }
      assert.equal(await store.setReported(db.write, link.id, reported, 50), true)
      assert.equal(await store.setReported(db.write, link.id, { ...reported, at: 149 }, 99), false)
      assert.deepEqual(await store.findByCode(db.read, 'warned'), { ...link, revision: 2, warning, reported })
      assert.equal(await store.setReported(db.write, link.id, { ...reported, at: 150 }, 100), true)
      await store.clearReported(db.write, link.id)
      assert.equal(await store.setWarning(db.write, { ...link, revision: 2 }, null), true)
      assert.deepEqual(await store.findByCode(db.read, 'warned'), { ...link, revision: 3 })
      assert.equal(await isWarned(), false)
    })

    await t.test(
      'links are read in parts of a bounded size, whatever strangers have stored, each link once',
      async () => {
        const target = `https://example.com/${'x'.repeat(400 * 1024)}`
        const links = []
        for (const code of ['part-1', 'part-2', 'part-3', 'part-4', 'part-5']) {
          const link: Link = { ...(await insert(db, code)), revision: 2, target: code === 'part-1' ? null : target }
          assert.equal(await store.updateLink(db.write, link, { tokenHash: `token of ${code}`, now: 0 }), true)
          links.push(link)
        }
        const ids = links.map(({ id }) => id)
        const idsOf = (part: { links: { id: number }[] }) => part.links.map(({ id }) => id)
        const [before = 0] = ids

        const first = await store.findActiveAfter(db.read, before - 1)
        assert.deepEqual([idsOf(first), first.next], [ids.slice(0, 3), ids[2]])
        const second = await store.findActiveAfter(db.read, ids[2] ?? 0)
        assert.deepEqual([idsOf(second), second.next], [ids.slice(3), undefined])

        const suspension = { at: 9, reason: '', source: 'list', expression: 'bad.example/' } as const
        await store.setSuspensions(db.write, links, suspension)
        const early = await store.findSuspendedByRuling(db.read, { at: 1, id: 0 })
        assert.deepEqual([idsOf(early), early.next], [ids.slice(0, 3), { at: 9, id: ids[2] }])
        const late = await store.findSuspendedByRuling(db.read, { at: 9, id: ids[2] ?? 0 })
        assert.deepEqual([idsOf(late), late.next], [ids.slice(3), undefined])
      },
    )

    await t.test('two links never share a token', async () => {
      await insert(db, 'first-token', { token: 'same token' })
      await assert.rejects(insert(db, 'second-token', { token: 'same token' }))
      assert.equal(await store.findByCode(db.read, 'second-token'), undefined)
    })

    await t.test('a response is stored once for each key, and found until it expires', async () => {
      const row = { lookup: 'l', request_hash: 'r', created_at: 1000 }
      const reserve = (at: number) => responses.reserveResponse(db.write, { ...row, created_at: at }, at - 1000)
      assert.equal(await reserve(500), true)
      assert.equal(await reserve(1000), false)
      assert.equal(await reserve(2000), true)
      await db.write.deleteFrom('idempotency_keys').execute()
      assert.equal(await reserve(1000), true)
      await responses.fillResponse(db.write, 'l', 's')
      assert.deepEqual({ ...(await responses.findResponse(db.read, 'l', 1000)) }, { ...row, response: 's' })
      assert.equal(await responses.findResponse(db.read, 'l', 1001), undefined)
      assert.equal(await responses.deleteResponses(db.write, 1000, 9), 0)
      assert.ok(await responses.findResponse(db.read, 'l', 0))
      assert.equal(await responses.deleteResponses(db.write, 1001, 9), 1)
      assert.equal(await responses.findResponse(db.read, 'l', 0), undefined)
    })

    await t.test('expired responses are deleted a few at a time, the oldest first', async () => {
      for (const at of [3, 1, 2, 4])
        await responses.reserveResponse(db.write, { lookup: `at ${at}`, request_hash: 'r', created_at: at }, 0)
      const left = async () => (await db.read.selectFrom('idempotency_keys').select('created_at').execute()).length
      assert.equal(await responses.deleteResponses(db.write, 4, 2), 2)
      assert.equal(await responses.findResponse(db.read, 'at 2', 0), undefined)
      assert.ok(await responses.findResponse(db.read, 'at 3', 0))
      assert.deepEqual([await responses.deleteResponses(db.write, 4, 2), await left()], [1, 1])
      await responses.deleteResponses(db.write, 5, 2)
    })
  })
}
