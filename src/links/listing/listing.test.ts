import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../../test/support/drivers.ts'
import { newLink } from '../../../test/support/stored-links.ts'
import { sql } from '#kysely'
import type { Database } from '../../db/database.ts'
import { insertLinks, type NewLink } from '../create-store.ts'
import { selectKeys } from './listing-store.ts'
import { linkOperations, type LinksResult } from './operator.ts'

const DAY = Date.UTC(2026, 10, 23)

/** Stores links with codes from 0001 on, in the order of their ids. */
async function store(db: Database, all: Partial<NewLink>[]): Promise<void> {
  const links = all.map((each, at) => ({
    ...newLink(String(at + 1).padStart(4, '0')),
    rules: [],
    placements: [],
    payload: {},
    ...each,
  }))
  await db.transaction((transaction) => insertLinks(transaction, links))
}

async function suspendAt(db: Database, code: string, at: number): Promise<void> {
  const suspension = { removed_at: at, removed_reason: 'phishing', removed_source: 'operator' }
  await db.write.updateTable('links').set(suspension).where('code', '=', code).execute()
}

/** All pages of a search. */
async function pages(db: Database, input: object, limit = 250): Promise<LinksResult[]> {
  const { links } = linkOperations({ db, totals: async () => assert.fail('the statistics are away') })
  const found: LinksResult[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = (await links?.({ ...input, limit, ...(cursor !== undefined && { cursor }) })) as LinksResult
    found.push(page)
    cursor = page.cursor
  }
  return found
}

const codes = async (db: Database, input: object, limit?: number) =>
  (await pages(db, input, limit)).flatMap(({ links }) => links.map(({ code }) => code))

for (const driver of drivers) {
  describe(`listing on ${driver.name}`, () => {
    test('finds links by each condition, and by several together', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const link = (url: string) => [{ type: 'button', label: 'x', url }]
      await store(db, [
        { target: 'https://a.example/', title: 'Menü Sommer', createdAt: DAY },
        { target: 'https://B.Example:8443/x', createdAt: DAY - 1, active: false },
        { target: 'https://sub.%62.example/', createdAt: DAY + 86_400_000 },
        {
          target: 'https://notb.example/',
          rules: [{ when: { country: ['DE'] }, then: { target: 'https://b.example/' } }],
        },
        { kind: 'page', target: null, payload: { title: 'p', links: link('https://bücher.example/Menü') } },
        { target: 'http://0x7f.1/', title: 'loop' },
      ])
      await suspendAt(db, '0001', DAY)
      await suspendAt(db, '0004', DAY + 1)
      await suspendAt(db, '0006', DAY)
      const expected: [object, string[]][] = [
        [{}, ['0001', '0002', '0003', '0004', '0005', '0006']],
        [{ host: 'B.EXAMPLE.' }, ['0002', '0004']],
        [{ domain: 'b.example' }, ['0002', '0003', '0004']],
        [{ domain: 'example', host: 'a.example' }, ['0001']],
        [{ host: 'xn--bcher-kva.example' }, ['0005']],
        [{ host: 'BÜCHER.example' }, ['0005']],
        [{ host: '127.0.0.1' }, ['0006']],
        [{ text: 'MENÜ' }, ['0001', '0005']],
        [{ text: '%62' }, ['0003']],
        [{ kind: 'page' }, ['0005']],
        [{ paused: true }, ['0002']],
        [{ removed: true }, ['0004', '0006', '0001']],
        [{ removed: true, host: 'b.example' }, ['0004']],
        [{ code: '0002' }, ['0002']],
        [{ code: '0002', host: 'a.example' }, []],
        [{ code: '0002', removed: true }, []],
        [{ code: '0099' }, []],
        [{ since: '2026-11-23', until: '2026-11-23' }, ['0001']],
        [{ since: '2026-11-24' }, ['0003']],
        [{ until: '2026-11-22T23:59:59.999Z' }, ['0004', '0005', '0006']],
        [{ until: '2026-11-23T01:00+01:00', paused: true }, ['0002']],
      ]
      for (const [input, found] of expected) {
        for (const limit of [250, 1]) {
          // The next test is about the order.
          const listed = await codes(db, input, limit)
          assert.deepEqual('removed' in input ? listed : listed.toSorted(), found, JSON.stringify(input))
        }
      }
    })

    test('has every link once over all pages, in order, whatever the limit, also beyond one read of keys', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const count = 1203
      await store(
        db,
        Array.from({ length: count }, (_, at) => ({ active: at % 3 !== 0, createdAt: 1000 + Math.floor(at / 5) })),
      )
      await sql`update links set removed_at = 5 + (id / 4) % 3, removed_source = 'list' where (id / 2) % 2 = 0`.execute(
        db.write,
      )
      const all = Array.from({ length: count }, (_, at) => String(at + 1).padStart(4, '0'))
      const rows = await db.read.selectFrom('links').select(['id', 'code', 'removed_at']).execute()
      const expected = rows
        .filter(({ removed_at: at }) => at !== null)
        .toSorted((a, b) => Number(b.removed_at) - Number(a.removed_at) || b.id - a.id)
        .map(({ code }) => code)
      assert.ok(expected.length > 500)
      for (const limit of [250, 101]) {
        assert.deepEqual(await codes(db, {}, limit), all.toReversed())
        assert.deepEqual(await codes(db, { oldest_first: true }, limit), all)
        const paused = await codes(db, { paused: true, oldest_first: true }, limit)
        assert.deepEqual(
          paused,
          all.filter((_, at) => at % 3 === 0),
        )
        const removed = await codes(db, { removed: true }, limit)
        assert.deepEqual(removed, expected)
      }
      const searched = await pages(db, { text: 'no such text' })
      assert.deepEqual(
        searched.map(({ links, looked }) => [links.length, looked]),
        [[0, count]],
      )
    })

    test('a page of links with long content ends early, and the next goes on with the next link', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await store(
        db,
        Array.from({ length: 9 }, () => ({ payload: { about: 'x'.repeat(100_000) } })),
      )
      const found = await pages(db, {})
      assert.deepEqual(
        found.map(({ links }) => links.length),
        [2, 2, 2, 2, 1],
      )
      assert.equal(new Set(found.flatMap(({ links }) => links.map(({ code }) => code))).size, 9)
    })

    test('shows neither a token nor a password, nor a hash of them', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await store(db, [{ tokenHash: 'secret-hash' }])
      await db.write.updateTable('links').set({ next_token_hash: 'next-secret-hash', rotated_at: 1 }).execute()
      const [page] = await pages(db, {})
      const text = JSON.stringify(page)
      assert.doesNotMatch(text, /secret|scrypt|hash/)
      assert.equal(page?.links[0]?.has_password, true)
    })

    test('is read by the index of the times of creation, and suspensions by theirs', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await store(db, [{}, {}])
      const isPostgres = driver.name.startsWith('PostgreSQL')
      const plans = await db.transaction(async (transaction) => {
        // PostgreSQL would read a table of two rows as a whole.
        if (isPostgres) await sql`set local enable_seqscan = off`.execute(transaction)
        if (isPostgres) await sql`set local enable_bitmapscan = off`.execute(transaction)
        const found: string[] = []
        for (const order of ['newest', 'oldest', 'suspension'] as const) {
          const bounds = order === 'suspension' ? {} : { since: 5, until: 9 }
          const range = { order, after: { at: 7, id: 7 }, since: undefined, until: undefined, ...bounds }
          const query = selectKeys(transaction, range).limit(500)
          const rows = await query.explain(undefined, isPostgres ? undefined : sql`query plan`)
          found.push(rows.map((row) => Object.values(row).join(' ')).join('\n'))
        }
        return found
      })
      for (const plan of plans.slice(0, 2)) assert.match(plan, /links_created_at/)
      assert.match(plans[2] ?? '', /links_removed_at/)
      for (const plan of plans) assert.doesNotMatch(plan, /SCAN links(?! USING)|Seq Scan|TEMP B-TREE/)
    })
  })
}
