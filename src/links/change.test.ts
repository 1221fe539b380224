import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Database } from '../db/database.ts'
import { asHolder } from '../lib/holder.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import { noCharge } from '../lib/charged.ts'
import { openLinks, type LinksNeeds } from './open.ts'

const client = { origin: 'https://qr.example.com', holder: asHolder('192.0.2.1'), charge: noCharge }

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
