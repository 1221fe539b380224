import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { createLeases } from '../db/lease.ts'
import { drivers } from '../../test/support/drivers.ts'
import type { Link } from '../links/link.ts'
import { kinds } from '../links/kinds/index.ts'
import type { Hit } from './screen.ts'
import { readSweep, requestSweep, writeSweep } from './sweep-store.ts'
import { createSweep, type Sweep, type SweepDeps } from './sweep.ts'

const LINKS = 1200

async function insertLinks(db: Database): Promise<void> {
  const keys = Array.from({ length: LINKS }, (_, at) => `c${at}`)
  await db.transaction(async (transaction) => {
    for (const key of keys) {
      const row = { code: key, code_key: key, token_hash: key, kind: kinds[0].name, payload: '{}', utm: '{}' }
      const rest = { target: `https://${key}.example/`, active: 1, revision: 1, created_at: 0, updated_at: 0 }
      await transaction
        .insertInto('links')
        .values({ ...row, ...rest })
        .execute()
    }
  })
}

async function ended(sweep: Sweep): Promise<void> {
  while (sweep.isRunning()) await sleep(5)
}

async function suspendedCodes(db: Database): Promise<string[]> {
  const rows = await db.read.selectFrom('links').select('code').where('removed_at', '>', 0).orderBy('id').execute()
  return rows.map(({ code }) => code)
}

for (const driver of drivers) {
  test(`on ${driver.name}`, { timeout: 60_000 }, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    await insertLinks(db)
    const seen: string[] = []
    const invalidated: string[] = []
    const faults: object[] = []
    let digest = 'lists 1'
    let bad = new Set<string>()
    let onMatch: (code: string) => void | Promise<void> = () => {}

    let editing: Promise<unknown> = Promise.resolve()
    const open = (more: Partial<SweepDeps> = {}) =>
      createSweep({
        // An edit that a test begins while a link is matched is written before its suspension.
        db: {
          ...db,
          transaction: (work) => editing.then(() => db.transaction(work)),
          urgent: (urgency, work) => editing.then(() => db.urgent(urgency, work)),
        },
        now: () => 42,
        invalidate: (code) => invalidated.push(code),
        webhooks: { onChange: async () => {}, which: async () => new Set() },
        findInLink: (link: Link): Hit | undefined => {
          seen.push(link.code)
          void onMatch(link.code)
          const isListed = bad.has(link.code) && link.target === `https://${link.code}.example/`
          return isListed ? { expression: `${link.code}.example/`, list: 'a list' } : undefined
        },
        acquire: createLeases(db, () => performance.now()),
        onRequested: () => {},
        digest: () => digest,
        log: { error: (details) => faults.push(details) },
        waitMs: 0,
        retryMs: 20,
        ...more,
      })

    await t.test(
      'every link is screened once, and links to listed hosts are suspended with a reason and an audit entry',
      async () => {
        bad = new Set(['c3', 'c700', 'c1199'])
        const sweep = open()
        sweep.start(false)
        await ended(sweep)
        assert.equal(new Set(seen).size, LINKS)
        assert.equal(seen.length, LINKS)
        assert.deepEqual(await suspendedCodes(db), ['c3', 'c700', 'c1199'])
        assert.deepEqual(invalidated.sort(), ['c1199', 'c3', 'c700'])
        const audit = await db.read.selectFrom('audit').selectAll().orderBy('id').execute()
        assert.deepEqual(
          audit.map(({ action, subject, source, reason, at }) => [action, subject, source, reason, at]),
          ['c3', 'c700', 'c1199'].map((code) => [
            'remove',
            code,
            'a list',
            `${code}.example/ is on the list a list`,
            42,
          ]),
        )
      },
    )

    await t.test(
      'visits are answered while a part of the links is screened, however many URLs strangers gave them',
      async () => {
        digest = 'lists with slow links'
        let turns = 0
        const turn = () => {
          turns++
          timer = setImmediate(turn)
        }
        let timer = setImmediate(turn)
        let most = 0
        let begun = { turns: -1, links: 0 }
        const sweep = open({
          findInLink() {
            begun = begun.turns === turns ? { turns, links: begun.links + 1 } : { turns, links: 1 }
            most = Math.max(most, begun.links)
            const until = performance.now() + 3
            while (performance.now() < until);
            return undefined
          },
        })
        sweep.start(false)
        await ended(sweep)
        clearImmediate(timer)
        assert.ok(most <= 3, `${most} links were screened in one piece`)
      },
    )

    await t.test('only a change of the lists causes another sweep, which skips suspended links', async () => {
      seen.length = 0
      const sweep = open()
      sweep.start(false)
      await ended(sweep)
      assert.deepEqual(seen, [])
      digest = 'lists 2'
      sweep.start(false)
      await ended(sweep)
      assert.equal(seen.length, LINKS - 3)
    })

    await t.test('a stopped sweep is resumed at its position', async () => {
      digest = 'lists 3'
      seen.length = 0
      const first = open()
      onMatch = (code) => {
        if (code === 'c800') void first.close()
      }
      first.start(false)
      await ended(first)
      onMatch = () => {}
      const before = seen.length
      const state = await readSweep(db.read)
      assert.deepEqual([state?.lists, state?.finished], ['lists 3', false])
      assert.ok(before < LINKS - 3, String(before))
      const second = open()
      second.start(false)
      await ended(second)
      assert.equal(seen.length, LINKS - 3)
      assert.equal(new Set(seen).size, LINKS - 3)
    })

    await t.test('a change of the lists during a sweep starts it again', async () => {
      digest = 'lists 4'
      seen.length = 0
      const sweep = open()
      onMatch = (code) => {
        if (code !== 'c600' || digest !== 'lists 4') return
        digest = 'lists 5'
        bad = new Set(['c0'])
        sweep.start(false)
      }
      sweep.start(false)
      await ended(sweep)
      onMatch = () => {}
      assert.ok((await suspendedCodes(db)).includes('c0'))
      assert.deepEqual({ ...(await readSweep(db.read)) }.lists, 'lists 5')
    })

    await t.test('lists that change all the time keep no link from being screened', async () => {
      digest = 'lists 5a'
      seen.length = 0
      const sweep = open()
      let changes = 0
      onMatch = (code) => {
        if (code !== 'c1' || changes === 3) return
        digest = `lists 5a ${++changes}`
        sweep.start(true)
      }
      sweep.start(false)
      await ended(sweep)
      onMatch = () => {}
      const beforeLast = seen.slice(0, seen.indexOf('c1198'))
      assert.equal(beforeLast.filter((code) => code === 'c1').length, 1)
      assert.deepEqual([changes, (await readSweep(db.read))?.lists], [3, digest])
    })

    await t.test(
      'a link that its owner changes during a sweep is not suspended for its former destination',
      async () => {
        digest = 'lists 6'
        bad = new Set(['c10'])
        onMatch = (code) => {
          if (code === 'c10') {
            const edit = db.write.updateTable('links').set({ revision: 2, target: 'https://good.example/' })
            editing = edit.where('code_key', '=', 'c10').execute()
          }
        }
        const sweep = open()
        sweep.start(false)
        await ended(sweep)
        onMatch = () => {}
        assert.equal((await suspendedCodes(db)).includes('c10'), false)
      },
    )

    await t.test(
      'a link whose owner deletes it and brings it back during a sweep is suspended all the same',
      async () => {
        digest = 'lists 6a'
        bad = new Set(['c20', 'c21'])
        let times = 0
        onMatch = (code) => {
          // Either raises the revision, and neither screens the link.
          if (code === 'c20' && times++ < 3)
            editing = db.write
              .updateTable('links')
              .set((of) => ({ revision: of('revision', '+', 2) }))
              .where('code_key', '=', 'c20')
              .execute()
        }
        const sweep = open()
        sweep.start(false)
        await ended(sweep)
        onMatch = () => {}
        const suspended = await suspendedCodes(db)
        assert.deepEqual(
          [...bad].map((code) => suspended.includes(code)),
          [true, true],
        )
      },
    )

    await t.test('of two processes with the same lists one sweeps, and the other waits', async () => {
      digest = 'lists 6b'
      seen.length = 0
      const both = [open(), open()]
      // A request of the second one would begin the sweep of the first one again.
      for (const sweep of both) sweep.start(false)
      await Promise.all(both.map(ended))
      assert.equal(new Set(seen).size, seen.length)
      assert.equal((await readSweep(db.read))?.finished, true)
    })

    await t.test('a sweep begins again when another process has changed to the same lists in between', async () => {
      digest = 'lists 6c'
      seen.length = 0
      const requestsBefore = (await readSweep(db.read))?.requests ?? 0
      let isAsked = false
      onMatch = async (code) => {
        if (code !== 'c900' || isAsked) return
        isAsked = true
        editing = requestSweep(db.write, digest)
      }
      bad = new Set(['c901'])
      const sweep = open()
      sweep.start(false)
      await ended(sweep)
      onMatch = () => {}
      assert.equal(seen.filter((code) => code === 'c1').length, 2)
      assert.equal((await readSweep(db.read))?.requests, requestsBefore + 1)
    })

    await t.test('processes with different lists sweep one after the other, each once', async () => {
      const seenBy = { one: 0, two: 0 }
      const both = (['one', 'two'] as const).map((name) =>
        open({
          digest: () => name,
          findInLink: () => void seenBy[name]++,
        }),
      )
      for (const sweep of both) sweep.start(true)
      await Promise.all(both.map(ended))
      const { one, two } = seenBy
      assert.ok(one === two && one > LINKS / 2, JSON.stringify(seenBy))
    })

    await t.test('a sweep that was interrupted is resumed once its lease is free', async () => {
      digest = 'lists 6d'
      const requests = (await readSweep(db.read))?.requests ?? 0
      assert.ok(await writeSweep(db.write, { lists: digest, position: 600, finished: false, requests }))
      const lease = await createLeases(db, () => performance.now())('sweep of links')
      seen.length = 0
      const sweep = open()
      sweep.start(false)
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
      assert.equal(seen.length, 0)
      await lease?.release()
      await ended(sweep)
      assert.ok(seen.length > 0 && !seen.includes('c500') && seen.includes('c1100'))
    })

    await t.test('an error is logged, and the sweep does not count as finished', async () => {
      digest = 'lists 7'
      onMatch = () => {
        throw new Error('injected')
      }
      const sweep = open()
      sweep.start(false)
      while (faults.length === 0) await sleep(5)
      await sweep.close()
      assert.match(String((faults[0] as { err: Error }).err), /injected/)
      assert.notEqual((await readSweep(db.read))?.lists, 'lists 7')
    })

    await t.test(
      'links to one host are suspended several in a transaction, because each one waits for the disk',
      async () => {
        digest = 'lists 8'
        onMatch = () => {}
        bad = new Set(Array.from({ length: 160 }, (_, at) => `c${800 + at}`))
        let transactions = 0
        const urgent: Database['urgent'] = (urgency, work) => {
          transactions++
          return db.urgent(urgency, work)
        }
        const sweep = open({ db: { ...db, urgent } })
        sweep.start(false)
        await ended(sweep)
        const suspended = new Set(await suspendedCodes(db))
        assert.deepEqual(
          [...bad].filter((code) => !suspended.has(code)),
          [],
        )
        assert.ok(transactions <= 12, String(transactions))
      },
    )
  })
}
