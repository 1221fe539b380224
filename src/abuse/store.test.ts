import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../db/database.ts'
import { StoreUnavailable } from '../db/unavailable.ts'
import { drivers } from '../../test/support/drivers.ts'
import { findOrInsertSalt } from './salt-store.ts'
import * as store from './store.ts'
import { readSweep, requestSweep, writeSweep } from './sweep-store.ts'

let links = 0

/** A stored link; only what the reports need of it. */
async function insertLink(db: Database, code: string): Promise<number> {
  const row = { code, code_key: code, token_hash: `token ${++links}`, kind: 'k', payload: '{}', utm: '{}', active: 1 }
  const times = { revision: 1, created_at: 0, updated_at: 0 }
  const { id } = await db.write
    .insertInto('links')
    .values({ ...row, ...times })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Counts a report, again when it was refused: on a busy machine a hundred take longer than one waits for a connection. */
type Report = Parameters<typeof store.countReport>[1] & { details: string | null }

async function countReport(db: Database, report: Report): Promise<void> {
  const { linkId, reason, details, at } = report
  try {
    await db.transaction(async (transaction) => {
      await store.countReport(transaction, report)
      if (details !== null) await store.addNote(transaction, linkId, { reason, details, at }, false)
    })
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    await countReport(db, report)
  }
}

for (const driver of drivers) {
  test(`on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return

    await t.test('a rule replaces the one for its expression, and can be deleted', async () => {
      const ruling = {
        expression: 'bad.example/',
        verdict: 'block' as const,
        reason: 'r',
        isLegal: false,
        createdAt: 1,
      }
      await store.upsertRuling(db.write, ruling)
      await store.upsertRuling(db.write, { ...ruling, verdict: 'allow', isLegal: true, createdAt: 2 })
      assert.deepEqual(await store.listRulings(db.read), [{ ...ruling, verdict: 'allow', isLegal: true, createdAt: 2 }])
      assert.equal(await store.deleteRuling(db.write, 'bad.example/'), true)
      assert.equal(await store.deleteRuling(db.write, 'bad.example/'), false)
      assert.deepEqual(await store.listRulings(db.read), [])
    })

    await t.test('a hundred concurrent reports are one row with a count and the newest notes', async () => {
      const linkId = await insertLink(db, 'reported')
      const reports = Array.from({ length: 100 }, (_, at) =>
        countReport(db, {
          linkId,
          reason: at % 2 === 0 ? 'phishing' : 'malware',
          details: at % 4 === 0 ? `note ${at}` : null,
          at: 1000 + at,
        }),
      )
      await Promise.all(reports)
      const [row, ...others] = await store.openReports(db.read, '2026-01-01', 10)
      assert.deepEqual(others, [])
      assert.deepEqual([row?.code, row?.count, row?.reasons], ['reported', 100, { phishing: 50, malware: 50 }])
      assert.equal(row?.notes.length, 10)
      assert.equal((await db.read.selectFrom('reports').selectAll().execute()).length, 1)
    })

    await t.test(
      'the most reported links come first, suspended links are excluded, and reports are deleted with their link',
      async () => {
        const [twice, once] = [await insertLink(db, 'twice'), await insertLink(db, 'once')]
        for (const linkId of [once, twice, twice]) {
          await db.transaction((transaction) => store.countReport(transaction, { linkId, reason: 'spam', at: 5 }))
        }
        const codes = async () => (await store.openReports(db.read, '2026-01-01', 10)).map(({ code }) => code)
        assert.deepEqual(await codes(), ['reported', 'twice', 'once'])
        assert.deepEqual((await store.openReports(db.read, '2026-01-01', 1)).length, 1)
        await db.write.updateTable('links').set({ removed_at: 1 }).where('code_key', '=', 'reported').execute()
        assert.deepEqual(await codes(), ['twice', 'once'])
        await db.write.deleteFrom('links').where('id', '=', twice).execute()
        assert.deepEqual(await codes(), ['once'])
        assert.equal(await store.deleteReport(db.write, once), true)
        assert.equal(await store.deleteReport(db.write, once), false)
      },
    )

    await t.test('the audit log is read newest first, and the database refuses updates and deletions', async () => {
      const row = { action: 'block', subject: 'bad.example/', source: 'operator', reason: 'r' }
      for (const at of [1, 2, 3]) await store.insertAudit(db.write, { ...row, at })
      assert.deepEqual(
        (await store.newestAudit(db.read, 2)).map(({ id, ...rest }) => (assert.ok(id > 0), rest)),
        [
          { ...row, at: 3 },
          { ...row, at: 2 },
        ],
      )
      await assert.rejects(db.write.updateTable('audit').set({ reason: '' }).execute(), /append-only/)
      await assert.rejects(db.write.deleteFrom('audit').execute(), /append-only/)
      assert.equal((await store.newestAudit(db.read, 10)).length, 3)
    })

    await t.test('the progress of a sweep is stored, unless a request to begin again came in between', async () => {
      assert.equal(await readSweep(db.read), undefined)
      const first = { lists: 'a', position: 500, finished: false, requests: 0 }
      assert.equal(await writeSweep(db.write, first), true)
      await requestSweep(db.write, 'other lists')
      assert.equal(await writeSweep(db.write, { ...first, finished: true }), true)
      await requestSweep(db.write, 'a')
      const again = { lists: 'a', position: 0, finished: false, requests: 1 }
      assert.deepEqual(await readSweep(db.read), again)
      assert.equal(await writeSweep(db.write, first), false)
      assert.equal(await writeSweep(db.write, { ...again, lists: 'b', finished: true }), true)
      assert.deepEqual(await readSweep(db.read), { lists: 'b', position: 0, finished: true, requests: 1 })
    })

    await t.test('the first process gives the store its salt, and the others use that', async () => {
      const salts = await Promise.all(['one', 'two', 'three'].map((salt) => findOrInsertSalt(db, salt)))
      assert.equal(new Set(salts).size, 1)
      assert.equal(await findOrInsertSalt(db, 'four'), salts[0])
    })
  })
}
