// What the dictionary of all nodes keeps: no text of a link that is gone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW, scan } from '../../../test/support/fold-folders.ts'
import { openNode, openShared } from '../../../test/support/shared-folds.ts'
import { scansFrom, textIds } from '../../../test/support/stored-texts.ts'
import { MAX_NEW_REFERRERS } from '../../scans/folding/new-referrers.ts'
import { OTHER } from '../../scans/text-ids.ts'
import type { PostgresSession } from '../database/session.ts'
import { openPostgresDictionary, TextsRemoved } from './dictionary.ts'
import { openPartitions } from './partitions.ts'
import { purgeLinks } from './purge.ts'
import { sweepTexts } from './unused-texts.ts'

const DAY_MS = 86_400_000

async function assertExact({ query }: PostgresSession): Promise<void> {
  const { kept, used } = textIds('quirl_scans.')
  assert.deepEqual(await query(kept), await query(used))
}

test('nodes that fold meanwhile keep the texts of their scans, and those of a deleted link go', async (t) => {
  const session = await openShared(t, 3)
  if (session === undefined) return
  const [a, b] = [openNode(t, session, 50), openNode(t, session, 50)]
  a.write(scansFrom(1, MAX_NEW_REFERRERS + 300))
  await a.fold()
  const [row] = await session.query<{ count: number }>(
    `select count(*)::integer as count from quirl_scans.dictionary where text like '%.of-1.example'`,
  )
  assert.equal(row?.count, MAX_NEW_REFERRERS)
  await session.query('delete from links where id = 1')
  await purgeLinks(session.query, [1])
  // Some of the same referrers come to other links now.
  a.write(scansFrom(1, 300).map((each) => ({ ...each, linkId: 2 })))
  b.write(scansFrom(1, 400).map((each) => ({ ...each, linkId: 3 })))
  await Promise.all([sweepTexts(session), a.fold(), b.fold(), sweepTexts(session)])
  // The scans of a deleted link, which bring texts that no row has then.
  b.write(scansFrom(1, 20).map((each) => ({ ...each, referrer: `late.${each.referrer}` })))
  await b.fold()
  await sweepTexts(session)
  await assertExact(session)
  await openPartitions(session).prune(NOW + DAY_MS)
  await purgeLinks(session.query, [2])
  await sweepTexts(session)
  await assertExact(session)
})

test('the removal of other texts, however often, does not keep a node from adding its rows; that of its own does', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const dictionary = openPostgresDictionary(session.query)
  const addOthers = (text: string) => openPostgresDictionary(session.query).prepareTexts([text])
  const mine = scan({ referrer: 'mine.example' })
  const idsOf = await dictionary.prepare([mine])
  const keep = (ids: number[]) => session.transaction((query) => dictionary.keep(query, ids))
  await keep(idsOf(mine))
  for (const other of ['a.example', 'b.example']) {
    await addOthers(other)
    await sweepTexts(session)
    await keep(idsOf(mine))
  }
  // No row has them: they were noted for this test, as the removal of their rows would.
  await session.query(`insert into quirl_scans.unused select id from quirl_scans.dictionary where id > ${OTHER}`)
  await sweepTexts(session)
  await assert.rejects(keep(idsOf(mine)), TextsRemoved)
  const again = await dictionary.prepare([mine])
  assert.notDeepEqual(again(mine), idsOf(mine))
  await keep(again(mine))
})

test('texts stay while a node of an earlier release folds, which does not keep its own', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const node = openNode(t, session)
  node.write(scansFrom(1, 5))
  await node.fold()
  await purgeLinks(session.query, [1])
  await session.query(`insert into quirl_scans.folds (folder, folded_until) values ('older', clock_timestamp())`)
  const texts = `select from quirl_scans.dictionary where text like '%.of-1.example'`
  await sweepTexts(session)
  assert.equal((await session.query(texts)).length, 5)
  await session.query(
    `update quirl_scans.folds set folded_until = clock_timestamp() - interval '2 hours' where folder = 'older'`,
  )
  await sweepTexts(session)
  assert.equal((await session.query(texts)).length, 0)
})
