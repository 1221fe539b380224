import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { asHolder } from '../lib/holder.ts'
import { hashCollectionToken, newCollectionToken } from '../lib/collection-token.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import { noCharge, noRoom } from '../lib/charged.ts'
import type { Credential } from './credential.ts'
import { openLinks, type Links, type LinksNeeds } from './open.ts'

const client = { origin: 'https://qr.example.com', holder: asHolder('192.0.2.1'), charge: noCharge, chargeRoom: noRoom }

/** Links that are closed before their store: in the background, they look for deletions whose day is over. */
function openOn(t: TestContext, db: Database) {
  const needs: { [Name in keyof LinksNeeds]?: unknown } = {
    db,
    now: Date.now,
    owns: () => false,
    screen: () => undefined,
    screenedBy: () => '',
    invalidate() {},
    purgeScans() {},
    removalTime: async () => 0,
    latestTime: async () => Number.POSITIVE_INFINITY,
    monotonic: () => performance.now(),
    log: { error: (details: object) => assert.fail(JSON.stringify(details)) },
    ids: { next: () => 1, markUsed() {} },
    designs: { of: async () => undefined },
    webhooks: { enabled: false, of: async () => null, onChange: async () => {} },
  }
  const links = openLinks(needs as LinksNeeds)
  undoLater(t, links.close)
  return links
}

for (const { name, open } of drivers.filter(({ name }) => !name.includes('two'))) {
  test(`16 changes of one link at a time are 16 transactions, and none starts over for another on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    let transactions = 0
    const counted: Database['transaction'] = (work) => (transactions++, db.transaction(work))
    const links = openOn(t, { ...db, read: db.read, write: db.write, transaction: counted })
    const token = newToken()
    await insert(db, 'menu', { token: hashToken(token) })
    const owned = await links.readByToken(token)
    const titles = Array.from({ length: 16 }, (_, at) => `title ${at}`)
    const changed = await Promise.all(titles.map((title) => links.change(owned, { title }, client)))
    assert.equal(transactions, titles.length)
    assert.deepEqual(
      changed.map(({ link }) => `${link.revision} ${link.title}`),
      titles.map((title, at) => `${owned.link.revision + at + 1} ${title}`),
    )
  })
}

/** What changes a link with a credential, slowly enough that something else happens first. */
const changes: Record<string, (links: Links, by: Credential, meanwhile: () => Promise<unknown>) => Promise<unknown>> = {
  async 'a change'(links, by, meanwhile) {
    const owned = await links.readByToken(by)
    return links.change(owned, { title: 'Late' }, clientWhile(meanwhile))
  },
  'a row of a change of many'(links, by, meanwhile) {
    const row = typeof by === 'string' ? { token: by } : { code: by.code }
    const options = { atomic: false, dryRun: false, requireKnown() {}, chargeNotFound: async () => undefined }
    const through = typeof by === 'string' ? undefined : by.collectionToken
    return links.changeMany([{ ...row, title: 'Late' }], clientWhile(meanwhile), { ...options, through })
  },
}

const isUnknown = (error: unknown) =>
  error instanceof Problem && ['unknown_token', 'collection_not_found', 'nothing_changed'].includes(error.code)

/** Charges take a moment, as designs and passwords take seconds. */
function clientWhile(meanwhile: () => Promise<unknown>) {
  return { ...client, charge: async () => (await meanwhile(), noCharge()) }
}

/** Puts a link into a collection of its own. */
async function collect(db: Database, collectionToken: string, linkId: number): Promise<void> {
  const collection = { id: 'summer', token_hash: hashCollectionToken(collectionToken) ?? '', created_at: 1 }
  await db.write.insertInto('collections').values(collection).execute()
  await db.write.insertInto('memberships').values({ collection_id: 'summer', link_id: linkId, joined_at: 1 }).execute()
}

const titleOf = async (db: Database) =>
  (await db.read.selectFrom('links').select('title').executeTakeFirstOrThrow()).title

for (const { name, open } of drivers.filter(({ name }) => !name.includes('two')))
  for (const [what, change] of Object.entries(changes)) {
    test(`${what} that began with a token which is replaced meanwhile changes nothing on ${name}`, async (t) => {
      const db = await open(t)
      if (db === undefined) return
      const links = openOn(t, db)
      const token = newToken()
      await insert(db, 'menu', { token: hashToken(token) })
      const before = await titleOf(db)
      const replace = async () => {
        const { token: next } = await links.rotate(token, client, {})
        await links.readByToken(next)
      }
      await assert.rejects(change(links, token, replace), isUnknown)
      assert.equal(await titleOf(db), before)
    })

    test(`${what} through a collection that the link leaves meanwhile changes nothing on ${name}`, async (t) => {
      const db = await open(t)
      if (db === undefined) return
      const links = openOn(t, db)
      const { id } = await insert(db, 'menu', { token: hashToken(newToken()) })
      const collectionToken = newCollectionToken()
      await collect(db, collectionToken, id)
      const before = await titleOf(db)
      const leave = () => db.write.deleteFrom('memberships').execute()
      await assert.rejects(change(links, { collectionToken, code: 'menu' }, leave), isUnknown)
      assert.equal(await titleOf(db), before)
    })
  }
