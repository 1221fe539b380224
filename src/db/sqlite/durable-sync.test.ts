import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poll } from '../../../test/support/poll.ts'
import { createDurable } from './durable.ts'
import { isSqliteUnavailable } from './errors.ts'
import { openWatched, turns, take, codesIn } from '../../../test/support/watched-store.ts'

test('a sync makes everything durable that was committed before it began, and nothing later', async () => {
  const syncs: PromiseWithResolvers<void>[] = []
  const durable = createDurable(
    () => {
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    },
    () => assert.fail(),
  )
  const settled: string[] = []
  const change = (name: string) => {
    durable.committed()
    return durable.synced().then(() => settled.push(name))
  }
  const first = [change('a'), change('b')]
  await poll(async () => syncs.length === 1)
  const later = [change('c'), change('d')]
  const look = durable.synced().then(() => settled.push('look'))
  await turns(5)
  assert.deepEqual([syncs.length, settled], [1, []])
  syncs[0]?.resolve()
  await Promise.all(first)
  await poll(async () => syncs.length === 2)
  // These rows were committed before the first sync ended, but not before it began.
  const lateLook = durable.synced().then(() => settled.push('late look'))
  await turns(5)
  assert.deepEqual(settled, ['a', 'b'])
  syncs[1]?.resolve()
  await Promise.all([...later, look, lateLook])
  await durable.synced()
  assert.equal(syncs.length, 2)
})

test('a failed sync rejects all that wait for it, and the store is reopened', async (t) => {
  const { db, file, seen, onSync } = await openWatched(t)
  await take(db, ['before'])
  onSync(() => Promise.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
  const refused = await Promise.allSettled([
    take(db, ['a']),
    take(db, ['b']),
    db.write.insertInto('codes').values({ code_key: 'c' }).execute(),
    // A refusal that is due to a change that is not durable is rejected as well.
    take(db, ['a']),
    db.read.selectFrom('codes').selectAll().execute(),
  ])
  onSync(async () => {})
  // The read may have come before the commits; all the others saw them.
  for (const each of refused.slice(0, 4)) {
    assert.ok(each.status === 'rejected' && isSqliteUnavailable(each.reason), each.status)
  }
  await poll(async () => seen.reopened > 0)
  await take(db, ['after'])
  await db.close()
  const found = codesIn(file)
  for (const code of ['before', 'after']) assert.ok(found.has(code))
})

test('a durable read waits for the sync of what it saw, and a prepared one does not', async (t) => {
  const { db, onSync } = await openWatched(t)
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  onSync(async () => {
    begun.resolve()
    await held.promise
  })
  const taking = take(db, ['new'])
  await begun.promise
  const settled: string[] = []
  const looks = Promise.all(
    (
      [
        ['read', db.read],
        ['write', db.write],
      ] as const
    ).map(async ([name, each]) => {
      const rows = await each.selectFrom('codes').selectAll().execute()
      settled.push(name)
      return rows.length
    }),
  )
  const lookUp = db.prepareRead((kysely, key) => kysely.selectFrom('codes').selectAll().where('code_key', '=', key))
  const seen = lookUp('new')
  assert.ok(seen !== undefined && !(seen instanceof Promise))
  await turns(5)
  assert.deepEqual(settled, [])
  held.resolve()
  await taking
  assert.deepEqual(await looks, [1, 1])
})
