import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../../test/support/drivers.ts'
import { insert } from '../../../test/support/stored-links.ts'
import type { Database } from '../../db/database.ts'
import { hashToken, newToken } from '../../lib/token.ts'
import { asHolder } from '../../lib/holder.ts'
import { noCharge } from '../charged.ts'
import { changeLinks, type ManyDeps } from './change-many.ts'

/** Longer than rows may keep the event loop from running. */
const ROW_MS = 6

test('the event loop runs between rows that are validated again because their links were changed meanwhile', async (t) => {
  const db = (await drivers[0]?.open(t)) as Database
  const tokens = [newToken(), newToken(), newToken()]
  for (const [at, token] of tokens.entries()) await insert(db, `link${at}`, { token: hashToken(token) })

  let turns = 0
  let timer = setImmediate(function count() {
    turns++
    timer = setImmediate(count)
  })
  t.after(() => clearImmediate(timer))
  // Each row has several URLs to screen.
  const turnsOfUrls: number[] = []
  const screen = () => {
    for (const end = performance.now() + ROW_MS; performance.now() < end;);
    turnsOfUrls.push(turns)
    return undefined
  }
  let attempts = 0
  const transaction: Database['transaction'] = async (work) => {
    if (++attempts === 1) await db.write.updateTable('links').set({ revision: 2 }).execute()
    return db.transaction(work)
  }
  const { read, write } = db
  const deps: ManyDeps = {
    db: { ...db, read, write, transaction },
    now: () => 1000,
    owns: () => false,
    screen,
    webhooks: { onChange: async () => {} },
    invalidate() {},
  }
  const rows = tokens.map((token) => ({ token, target: 'https://example.com/new' }))
  const options = {
    atomic: false,
    dryRun: false,
    requireKnown: () => {},
    chargeNotFound: async () => undefined,
  }
  const client = { origin: 'https://qr.example.com', holder: asHolder('192.0.2.1'), charge: noCharge }
  assert.equal((await changeLinks(deps, rows, client, options)).changed, 3)
  assert.equal(attempts, 2)
  assert.equal(new Set(turnsOfUrls.slice(turnsOfUrls.length / 2)).size, 3)
})
