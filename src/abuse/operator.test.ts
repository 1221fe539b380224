import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { insert, read } from '../../test/support/stored-links.ts'
import type { Database } from '../db/database.ts'
import { StoreBusy, StoreUnavailable } from '../db/unavailable.ts'
import { hideLink, showLink } from '../links/deleted-store.ts'
import type { Link } from '../links/link.ts'
import { abuseOperations, type OperatorDeps } from './operator.ts'
import { buildSet, openSet } from './compact-set.ts'
import { addEntry } from './list-entry.ts'
import { openRulings } from './rulings.ts'
import { createScreening } from './screen.ts'
import { suspendLink } from './suspension.ts'

const CUSTOM = 'qr.customer.example'
const now = () => 1_800_000_000_000

/** @param listed what a list names */
async function depsOf(db: Database, listed: string[] = []): Promise<OperatorDeps> {
  const builder = buildSet()
  for (const address of listed) addEntry(builder, '', address)
  const lists = () => [{ name: 'list', set: openSet(builder.finish()) }]
  const rulings = await openRulings(db, now)
  const none = async () => {}
  return {
    db,
    now,
    invalidate() {},
    webhooks: { which: async () => new Set(), onChange: none },
    owns: ({ hostname }) => hostname === CUSTOM,
    rulings,
    screening: createScreening({ salt: '', lists, rulings: rulings.all, isOwnHost: () => false }),
    feeds: {
      salt: '',
      lists: () => [],
      digest: () => '',
      status: () => [],
      checkedAt: now,
      refresh: none,
      expire() {},
      close: none,
    },
    sweep: { start() {}, isRunning: () => false, close: none },
    ownListed: { find: () => undefined },
  }
}

/** Deletes a link, or brings it back when it is deleted. */
async function toggle(db: Database, link: Link): Promise<void> {
  const query = db.read.selectFrom('links').select(['revision', 'deleted_at']).where('id', '=', link.id)
  const { deleted_at: at, revision } = await query.executeTakeFirstOrThrow()
  const act = at === null ? hideLink : showLink
  assert.equal(await db.transaction((transaction) => act(transaction, { ...link, revision }, now())), true)
}

const storedOf = (db: Database, id: number) =>
  db.read.selectFrom('links').select(['removed_at', 'warned_at']).where('id', '=', id).executeTakeFirstOrThrow()

for (const { name, open } of drivers) {
  test(`a link is blocked, or warned of, however its owner deletes it and brings it back meanwhile, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    for (const toggles of [0, 1, 2, 3, 4, 5]) {
      const link = await insert(db, `menu-${toggles}`)
      const { id, code } = link
      let left = toggles
      const read = db.read.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (left-- > 0) await toggle(db, link)
          return result
        },
      })
      const { block, warn } = abuseOperations({ ...(await depsOf(db)), db: { ...db, read } })
      assert.deepEqual(await warn?.({ subject: code }), { code }, `${toggles} times`)
      assert.equal((await storedOf(db, id)).warned_at, now(), `${toggles} times`)
      left = toggles
      assert.deepEqual(await block?.({ subject: code }), { code }, `${toggles} times`)
      assert.equal((await storedOf(db, id)).removed_at, now(), `${toggles} times`)
    }
  })

  test(`a link is blocked, or warned of, also when the store does not answer as it is looked for, or is busy, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    await insert(db, 'menu')
    let late = 0
    const read = db.read.withPlugin({
      transformQuery({ node }) {
        if (late-- > 0) throw late === 0 ? new StoreUnavailable('it did not answer') : new StoreBusy('none is free')
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const { warn, block } = abuseOperations({ ...(await depsOf(db)), db: { ...db, read } })
    for (const operation of [warn, block]) {
      late = 2
      assert.deepEqual(await operation?.({ subject: 'menu' }), { code: 'menu' })
      assert.ok(late < 0)
    }
  })

  test(`unblocking a host reinstates no link that was blocked for another one, but each that only this one still blocks, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const deps = await depsOf(db)
    const { block, unblock } = abuseOperations(deps)
    const rule = { when: { country: ['DE'] }, then: { target: 'https://good.example/x' } }
    await insert(db, 'both', { target: 'https://www.evil.example/', rules: [rule] })
    /** As a sweep does. */
    const suspend = async (expression: string) => {
      const suspension = { at: now(), reason: '', source: 'list' as const, expression }
      assert.equal(await suspendLink(deps, await read(db, 'both'), suspension, 'list', 'takedown'), true)
    }
    await suspend('evil.example/')
    await block?.({ subject: 'good.example' })
    // No list has the first one any more.
    const unblocked = { expression: 'good.example/', allowed: false, reinstated: 0, blockedBy: null }
    assert.deepEqual(await unblock?.({ subject: 'good.example' }), unblocked)
    assert.equal((await read(db, 'both')).suspension?.expression, 'evil.example/')

    await block?.({ subject: 'evil.example' })
    await block?.({ subject: 'good.example' })
    await unblock?.({ subject: 'evil.example' })
    assert.equal((await read(db, 'both')).suspension?.expression, 'good.example/')
    assert.deepEqual(await unblock?.({ subject: 'good.example' }), { ...unblocked, reinstated: 1 })
    assert.equal((await read(db, 'both')).suspension, null)

    // What is allowed below a blocked host.
    await block?.({ subject: 'evil.example' })
    await suspend('evil.example/')
    const allowed = { expression: 'www.evil.example/', allowed: true, reinstated: 1, blockedBy: null }
    assert.deepEqual(await unblock?.({ subject: 'www.evil.example' }), allowed)
    assert.equal((await read(db, 'both')).suspension, null)
  })

  test(`what a list names on a custom domain is allowed by its URL, unless that is the short URL of a blocked link, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const [unknown, known] = [`${CUSTOM}/none`, `${CUSTOM}/known`]
    const deps = await depsOf(db, [`http://${unknown}`, `http://${known}`])
    const { block, unblock, entries } = abuseOperations(deps)
    await insert(db, 'known')
    await insert(db, 'names', { title: `see ${unknown}`, target: 'https://good.example/' })
    const suspension = { at: now(), reason: '', source: 'list' as const, expression: unknown }
    await suspendLink(deps, await read(db, 'names'), suspension, 'list', 'takedown')
    const allowed = (expression: string, reinstated: number) => {
      return { expression, allowed: true, reinstated, blockedBy: null }
    }
    assert.deepEqual(await unblock?.({ subject: `http://${unknown}` }), allowed(unknown, 1))
    await assert.rejects(async () => unblock?.({ subject: unknown }), /no link has the code none/)

    const blockedBy = { expression: known, list: 'list' }
    assert.deepEqual(await block?.({ subject: known }), { code: 'known' })
    assert.deepEqual(await unblock?.({ subject: known }), { code: 'known', shortUrl: { expression: known, blockedBy } })
    assert.deepEqual(await unblock?.({ subject: known }), allowed(known, 0))
    await assert.rejects(async () => unblock?.({ subject: known }), /known is not blocked/)
    assert.deepEqual(await block?.({ subject: known }), { code: 'known' })
    assert.deepEqual(await unblock?.({ subject: known }), { code: 'known' })

    assert.equal(deps.rulings.all().size, 2)
    await entries?.({ forget: `https://${known}` })
    assert.deepEqual([...deps.rulings.all().keys()], [unknown])
  })

  test(`a rule for a URL on a name that has become a custom domain is deleted by that URL, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const deps = await depsOf(db)
    const expression = `${CUSTOM}/menu`
    await deps.rulings.put({ expression, verdict: 'block', reason: '', isLegal: false, createdAt: now() })
    const result = { expression, allowed: false, reinstated: 0, blockedBy: null }
    assert.deepEqual(await abuseOperations(deps).unblock?.({ subject: expression }), result)
  })
}
