import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { drivers } from '../../../test/support/drivers.ts'
import { insert } from '../../../test/support/stored-links.ts'
import type { Database } from '../../db/database.ts'
import { createInTurn } from '../../lib/in-turn.ts'
import { hashToken, newToken } from '../../lib/token.ts'
import { asHolder } from '../../lib/holder.ts'
import { noCharge, noRoom } from '../../lib/charged.ts'
import { changeLinks, type ManyDeps } from './change-many.ts'

const options = {
  atomic: false,
  dryRun: false,
  requireKnown: () => {},
  chargeNotFound: async () => undefined,
}
const client = { origin: 'https://qr.example.com', holder: asHolder('192.0.2.1'), charge: noCharge, chargeRoom: noRoom }

function depsOn(db: Database, parts: Pick<Database, 'transaction'> & Pick<ManyDeps, 'screen' | 'inTurn'>): ManyDeps {
  const { read, write } = db
  const { transaction, ...others } = parts
  return {
    db: { ...db, read, write, transaction },
    now: () => 1000,
    owns: () => false,
    screenedBy: () => '',
    webhooks: { onChange: async () => {} },
    designs: {} as ManyDeps['designs'],
    collecting: {} as ManyDeps['collecting'],
    invalidate() {},
    ...others,
  }
}

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
  const deps = depsOn(db, { transaction, screen, inTurn: createInTurn() })
  const rows = tokens.map((token) => ({ token, target: 'https://example.com/new' }))
  assert.equal((await changeLinks(deps, rows, client, options)).changed, 3)
  assert.equal(attempts, 2)
  assert.equal(new Set(turnsOfUrls.slice(turnsOfUrls.length / 2)).size, 3)
})

test('whoever changes one link all the time does not have a change of many that has it start over again and again', async (t) => {
  const db = (await drivers[0]?.open(t)) as Database
  const tokens = [newToken(), newToken()]
  for (const [at, token] of tokens.entries()) await insert(db, `link${at}`, { token: hashToken(token) })
  const inTurn = createInTurn()
  const first = await db.read.selectFrom('links').select('id').orderBy('id').executeTakeFirstOrThrow()
  const changes: Promise<unknown>[] = []
  const changeOne = () =>
    inTurn(first.id, () =>
      db.write
        .updateTable('links')
        .set((of) => ({ revision: of('revision', '+', 1) }))
        .where('id', '=', first.id)
        .execute(),
    )
  let attempts = 0
  const transaction: Database['transaction'] = async (work) => {
    if (++attempts > 3) throw new Error('it starts over again and again')
    const change = changeOne()
    changes.push(change)
    // The first one comes in between. Later ones do, too, unless they wait for their turn.
    await (attempts === 1 ? change : Promise.race([change, sleep(100)]))
    return db.transaction(work)
  }
  const deps = depsOn(db, { transaction, screen: () => undefined, inTurn })
  for (const atomic of [false, true]) {
    const rows = tokens.map((token) => ({ token, title: atomic ? 'Two' : 'One' }))
    attempts = 0
    assert.equal((await changeLinks(deps, rows, client, { ...options, atomic })).changed, 2)
    assert.equal(attempts, 2)
    await Promise.all(changes)
  }
})
