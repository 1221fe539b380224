import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import { sql } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Link } from '../links/link.ts'
import { submitReport } from './reports.ts'
import { deleteReport } from './store.ts'
import { tellNoted, type ReportDeps } from './telling.ts'

const NOW = 1_795_225_879_440

/** Of an instance: what it needs for reports, and the codes that operator and owner were told of. */
function instance(db: Database) {
  const [operator, owner]: [unknown[], string[]] = [[], []]
  const deps: ReportDeps = {
    db,
    now: () => NOW,
    threshold: 3,
    webhooks: { onReported: async (_, { code }) => void owner.push(code) },
    log: { warn: (details) => void operator.push(details) },
  }
  return { deps, operator, owner }
}

const report = (deps: ReportDeps, { code }: Link, from: number) =>
  submitReport(
    deps,
    { code, reason: from === 1 ? 'spam' : 'phishing' },
    { address: `10.${from}.0.1`, owns: () => false },
  )

/** Has links locked, as a change of many does. @returns what ends that */
async function lock(t: TestContext, db: Database, links: Link[]): Promise<() => Promise<void>> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  undoLater(t, () => ended.resolve())
  const ids = links.map(({ id }) => id)
  const changed = db.transaction(async (transaction) => {
    const touched = transaction.updateTable('links').set((of) => ({ active: of.ref('active') }))
    await touched.where('id', 'in', ids).execute()
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  return async () => {
    ended.resolve()
    await changed
  }
}

const toldOf = async (db: Database, { id }: Link) =>
  (await db.read.selectFrom('links').select('reported_networks').where('id', '=', id).executeTakeFirstOrThrow())
    .reported_networks

for (const { name, open } of drivers.filter((driver) => driver.name.startsWith('PostgreSQL'))) {
  test(`a report of a link that a change of many has locked is stored at once, and told of once, after it, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const [locked, free] = [await insert(db, 'locked'), await insert(db, 'free')]
    const { deps, operator, owner } = instance(db)
    const unlock = await lock(t, db, [locked])
    for (let from = 1; from <= 4; from++) for (const link of [locked, free]) await report(deps, link, from)
    assert.deepEqual(owner, ['free'])
    // As another process finds it, or the same after a restart.
    const [one, other] = [instance(db), instance(db)]
    await tellNoted(one.deps)
    assert.deepEqual(one.owner, [])
    await unlock()
    await Promise.all([tellNoted(one.deps), tellNoted(other.deps)])
    await Promise.all([tellNoted(one.deps), tellNoted(other.deps)])
    assert.deepEqual([...one.owner, ...other.owner], ['locked'])
    assert.deepEqual([...one.operator, ...other.operator], [{ code: 'locked', networks: 4, reason: 'phishing' }])
    assert.deepEqual(operator, [{ code: 'free', networks: 3, reason: 'phishing' }])
    assert.deepEqual([await toldOf(db, locked), await toldOf(db, free)], [4, 3])
  })

  test(`of a link that stays locked operator and owner are told ten seconds after the report that is to be told of, however many follow, before what has it locked, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const link = await insert(db, 'locked')
    const { deps, owner } = instance(db)
    const begun = Promise.withResolvers<void>()
    const changing = db.transaction(async (transaction) => {
      const touched = transaction.updateTable('links').set((of) => ({ active: of.ref('active') }))
      await touched.where('id', '=', link.id).execute()
      begun.resolve()
      await sql`select pg_sleep(60)`.execute(transaction)
    })
    const ended = assert.rejects(changing)
    await begun.promise
    for (let from = 1; from <= 4; from++) await report(deps, link, from)
    const later = { ...deps, now: () => NOW + 9_000 }
    await tellNoted(later)
    assert.deepEqual(owner, [])
    await report(later, link, 5)
    await tellNoted({ ...deps, now: () => NOW + 11_000 })
    assert.deepEqual(owner, ['locked'])
    await ended
    assert.equal(await toldOf(db, link), 5)
  })

  test(`who is noted is not told of what the operator has dismissed, nor of what a later report has told of, on ${name}`, async (t) => {
    const db = await open(t)
    if (db === undefined) return
    const [dismissed, again] = [await insert(db, 'dismissed'), await insert(db, 'again')]
    const { deps, owner } = instance(db)
    const unlock = await lock(t, db, [dismissed, again])
    for (let from = 1; from <= 3; from++) for (const link of [dismissed, again]) await report(deps, link, from)
    await unlock()
    await db.transaction((transaction) => deleteReport(transaction, dismissed.id))
    await report(deps, again, 4)
    await tellNoted(deps)
    await tellNoted(deps)
    assert.deepEqual(owner, ['again'])
    assert.deepEqual([await toldOf(db, dismissed), await toldOf(db, again)], [null, 4])
  })
}
