import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { asHolder } from '../lib/holder.ts'
import { newToken } from '../lib/token.ts'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { noCharge, noRoom } from '../lib/charged.ts'
import { openLinks, type Links, type LinksNeeds } from './open.ts'

const client = { origin: 'https://qr.example.com', holder: asHolder('192.0.2.1'), charge: noCharge, chargeRoom: noRoom }
const bad = 'https://bad.example/'
const good = 'https://good.example/'
const design = { shape: 'dots' }

/** Links whose designs and passwords take so long that `bad` is blocked meanwhile. */
function openOn(t: TestContext, db: Database): { links: Links; allow: () => void } {
  let blocks = 0
  let isBlocked = false
  const block = async () => {
    blocks++
    isBlocked = true
  }
  const needs: { [Name in keyof LinksNeeds]?: unknown } = {
    db,
    now: Date.now,
    owns: () => false,
    screen: (url: string) => (isBlocked && url.startsWith(bad) ? 'is blocked' : undefined),
    screenedBy: () => String(blocks),
    invalidate() {},
    purgeScans() {},
    addImported: async () => {},
    removalTime: async () => 0,
    latestTime: async () => Number.POSITIVE_INFINITY,
    monotonic: () => performance.now(),
    log: { error: (details: object) => assert.fail(JSON.stringify(details)) },
    ids: { next: () => Math.floor(Math.random() * 2 ** 40), markUsed() {} },
    passwordTurn: (_who: unknown, work: () => Promise<unknown>) => work(),
    scrypt: async () => (await block(), Buffer.alloc(32)),
    designs: {
      of: async () => undefined,
      requireScannable: block,
      checkCodes: async (_design: unknown, { codes }: { codes: string[] }) => (
        await block(),
        codes.map(() => undefined)
      ),
      save: async () => {},
      saveNew: async () => {},
    },
    webhooks: { enabled: false, of: async () => null, onChange: async () => {} },
  }
  const links = openLinks(needs as LinksNeeds)
  undoLater(t, links.close)
  return { links, allow: () => (isBlocked = false) }
}

const isRefused = (error: unknown) => error instanceof Problem && error.code === 'target_blocked'

async function targets(db: Database): Promise<(string | null)[]> {
  const rows = await db.read.selectFrom('links').select('target').orderBy('target').execute()
  return rows.map(({ target }) => target)
}

for (const driver of drivers.filter(({ name }) => !name.includes('two'))) {
  test(`no link is stored to a host that was blocked while it waited, on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const { links, allow } = openOn(t, db)

    await t.test('for the hash of its password', async () => {
      await assert.rejects(links.create({ target: bad, password: 'correct horse' }, client), isRefused)
      assert.deepEqual(await targets(db), [])
    })

    await t.test('for the check of its design', async () => {
      allow()
      await assert.rejects(links.create({ target: bad, design }, client), isRefused)
      assert.deepEqual(await targets(db), [])
    })

    await t.test('for another one with its Idempotency-Key', async () => {
      allow()
      const withKey = (request: string, key = 'a key of sixteen') => ({ idempotentRequest: { key, request } })
      // The first one with a key deletes old ones before it takes its turn.
      await links.create({ target: good, alias: 'taken' }, client, withKey('0', 'another of sixteen'))
      const slow = links.create({ target: good, alias: 'taken', password: 'correct horse' }, client, withKey('1'))
      const waiting = links.create({ target: bad }, client, withKey('2'))
      await assert.rejects(slow, (error) => error instanceof Problem && error.code === 'alias_taken')
      await assert.rejects(waiting, isRefused)
      assert.deepEqual(await targets(db), [good])
    })

    await t.test('for the designs of other rows that are created with it', async () => {
      allow()
      const { created, results } = await links.createBulk([{ target: bad }, { target: good, design }], client, {
        atomic: false,
        dryRun: false,
      })
      assert.equal(created, 1)
      assert.equal('error' in (results[0] ?? {}), true)
      assert.deepEqual(await targets(db), [good, good])
    })

    await t.test('for the designs of other rows that are changed with it', async () => {
      allow()
      const two = await Promise.all([1, 2].map(() => links.create({ target: good }, client)))
      const rows = [
        { token: two[0]?.token, target: bad },
        { token: two[1]?.token, title: 'Two', design },
      ]
      const options = { atomic: false, dryRun: false, requireKnown() {}, chargeNotFound: async () => undefined }
      const { changed, failed } = await links.changeMany(rows, client, options)
      assert.deepEqual([changed, failed], [1, 1])
      assert.equal((await targets(db)).includes(bad), false)
    })

    await t.test('for its design, as the operator imports it', async () => {
      allow()
      const row = { target: bad, alias: 'imported', token: newToken(), design }
      const [result] = await links.importLinks([row], { dryRun: false, origin: client.origin })
      assert.equal('error' in (result ?? {}), true)
      assert.equal((await targets(db)).includes(bad), false)
    })
  })
}
