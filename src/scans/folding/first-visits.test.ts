import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { HOUR, makeFolders, NOW, scan } from '../../../test/support/fold-folders.ts'
import { openNode, openShared } from '../../../test/support/shared-folds.ts'
import { dayOf } from '../calendar.ts'
import { KEYS_OF_ADDRESS } from '../describing/visitor-key.ts'
import { keysFile } from '../describing/visitors.ts'
import { journalFolder } from '../journal/journal-folder.ts'
import { openJournalFile } from '../journal/journal-file.ts'
import { openPostgresFoldTarget } from '../../nodes/scans/fold-target.ts'
import { suffixOf } from '../../nodes/scans/visitor-days.ts'
import type { Scan } from '../scan.ts'
import { openFirstOfDay } from '../sqlite/first-of-day.ts'
import { openFold } from '../sqlite/fold.ts'
import { openWarehouse } from '../sqlite/warehouse.ts'
import { UNBOUNDED, type RawBound } from './raw-bound.ts'

/** The agents of an address: each is another visitor. */
const agents = (address: number, count: number, more: (agent: number) => Partial<Scan> = () => ({})) =>
  Array.from({ length: count }, (_, agent) => scan({ visitor: address * KEYS_OF_ADDRESS + agent, ...more(agent) }))

const countReferrers = "count(*) filter (where text like '%.example') as referrers"

/** What a store has counted of a link: visitors, and people among them. */
type Counted = [visitors: number, people: number]

interface Store {
  /** Folds these scans; the store may fold them in parts, by several nodes, and be opened anew in between. */
  fold: (scans: Scan[], bound?: RawBound) => Promise<void>
  countedOf: (linkId: number) => Promise<Counted>
  /** How many keys of visitors and people, and referrers, it has. */
  rows: () => Promise<{ keys: number; referrers: number }>
}

const counted = 'human_firsts + bot_firsts as visitors, human_firsts - people_again as people'
const read = (row: Record<string, unknown> | undefined): Counted => [Number(row?.['visitors']), Number(row?.['people'])]

function embedded(t: TestContext): Store {
  const folders = makeFolders(t)
  let number = 0
  return {
    async fold(scans, bound) {
      const writer = openJournalFile(join(folders.journal, `${++number}.scans`), false)
      for (const each of scans) writer.append([each])
      writer.close()
      const warehouse = openWarehouse(folders.warehouse, undefined, bound)
      const fold = openFold(warehouse, folders, undefined, () => 7)
      await fold.run(readdirSync(folders.journal), NOW)
      await fold.close()
      warehouse.close()
    },
    async countedOf(linkId) {
      const warehouse = openWarehouse(folders.warehouse)
      const row = warehouse.db.prepare(`select ${counted} from totals where link_id = ?`).get(linkId)
      warehouse.close()
      return read(row)
    },
    async rows() {
      const day = new DatabaseSync(keysFile(folders.visitors, dayOf(NOW)))
      const [{ keys }] = day
        .prepare('select (select count(*) from seen) + (select count(*) from people) as keys')
        .all() as [{ keys: number }]
      day.close()
      const warehouse = openWarehouse(folders.warehouse)
      const [{ referrers }] = warehouse.db.prepare(`select ${countReferrers} from dictionary`).all() as [
        { referrers: number },
      ]
      warehouse.close()
      return { keys, referrers }
    },
  }
}

async function shared(t: TestContext): Promise<Store | undefined> {
  const session = await openShared(t, 3)
  if (session === undefined) return undefined
  const nodes = [openNode(t, session, 7), openNode(t, session, 7)] as const
  return {
    async fold(scans, bound) {
      // Both have some of each address, and fold at the same time.
      nodes.forEach(({ write }, node) => write(scans.filter((_, at) => at % 2 === node)))
      await Promise.all(
        nodes.map((node) => node.fold(openPostgresFoldTarget(session, journalFolder(node.path), bound))),
      )
    },
    async countedOf(linkId) {
      const [row] = await session.query(`select ${counted} from quirl_scans.totals where link_id = $1`, [linkId])
      return read(row)
    },
    async rows() {
      const day = suffixOf(dayOf(NOW))
      const [row] = await session.query<{ keys: number; referrers: number }>(
        `select (select count(*) from quirl_visitors.keys_${day}) + (select count(*) from quirl_visitors.people_${day}) as keys,
           (select ${countReferrers} from quirl_scans.dictionary)`,
      )
      return { keys: Number(row?.keys), referrers: Number(row?.referrers) }
    },
  }
}

for (const [name, open] of [
  ['SQLite', embedded],
  ['PostgreSQL, with two nodes', shared],
] as const) {
  test(`of one address, link and day 16 agents count, and the others as one for each device, system and browser: ${name}`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    await store.fold(agents(5, 100))
    assert.deepEqual(await store.countedOf(1), [17, 1])
    // Further ones, in a later fold; the known ones come again.
    await store.fold(agents(5, 200))
    assert.deepEqual(await store.countedOf(1), [17, 1])
    await store.fold(agents(5, 300, (agent) => ({ browser: agent % 3 === 0 ? 'Chrome' : 'Safari' })))
    assert.deepEqual(await store.countedOf(1), [18, 2])
    // Another address, another link, and another day.
    await store.fold(agents(6, 3))
    await store.fold([...agents(5, 20, () => ({ linkId: 2 })), ...agents(5, 20, () => ({ at: NOW + 24 * HOUR }))])
    assert.deepEqual(
      [await store.countedOf(1), await store.countedOf(2)],
      [
        [18 + 3 + 17, 4],
        [17, 1],
      ],
    )
    // Programs are visitors and no people; who opts out is neither.
    await store.fold([...agents(7, 2, () => ({ bot: true })), scan({ visitor: null })])
    assert.deepEqual(await store.countedOf(1), [18 + 3 + 17 + 2, 4])
  })

  test(`one client counts as 64 people at most, whatever agents it sends: ${name}`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    const any = (agent: number) => ({
      device: `device ${agent % 10}`,
      os: `os ${agent % 29}`,
      browser: `b ${agent % 31}`,
    })
    await store.fold(agents(5, 1000, any))
    await store.fold(agents(5, 1000, any))
    assert.deepEqual(await store.countedOf(1), [16 + 64, 64])
  })

  test(`where room is scarce, visits add no keys and no referrers, and count all the same: ${name}`, async (t) => {
    const store = await open(t)
    if (store === undefined) return
    let untold = 0
    const scarce: RawBound = {
      ...UNBOUNDED,
      onlyCounts: () => true,
      addsVisitors: () => false,
      noteUntold: (scans) => (untold += scans),
    }
    const strangers = (from: number) =>
      Array.from({ length: 200 }, (_, at) =>
        scan({ visitor: (from + at) * KEYS_OF_ADDRESS, referrer: `${from + at}.example` }),
      )
    await store.fold(strangers(0).slice(0, 3))
    const before = await store.rows()
    assert.equal(before.referrers, 3)
    // Those who came before are known, and no visitors again.
    await store.fold([...strangers(0).slice(0, 3), ...strangers(1000), scan({ visitor: null })], scarce)
    assert.deepEqual(await store.rows(), before)
    assert.deepEqual(await store.countedOf(1), [3, 3])
    assert.equal(untold, 200)
    await store.fold(strangers(1000))
    assert.deepEqual(await store.countedOf(1), [203, 203])
    assert.equal((await store.rows()).referrers, 203)
  })
}

test('a part of the journal that is folded again after a crash gets the same flags', (t) => {
  const { visitors } = makeFolders(t)
  const scans = [...agents(5, 50), ...agents(5, 300, (agent) => ({ browser: `browser ${agent % 90}` }))]
  const parts = Array.from({ length: 7 }, (_, part) => ({
    journal: 'a.scans',
    from: part,
    scans: scans.slice(part * 50, (part + 1) * 50),
  }))
  for (const part of parts) {
    const first = openFirstOfDay(visitors)
    const flags = first.flag(part)
    first.close()
    const again = openFirstOfDay(visitors)
    assert.deepEqual(again.flag(part), flags)
    again.close()
  }
})
