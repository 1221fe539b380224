import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scan } from '../../../test/support/fold-folders.ts'
import { openNode, openShared } from '../../../test/support/shared-folds.ts'
import { linkIdsAfter, purgeLinks } from './purge.ts'

test('scans of a deleted link are dropped wherever they are, and purged for good', async (t) => {
  const session = await openShared(t, 2)
  if (session === undefined) return
  const { write, fold } = openNode(t, session)
  write([scan({ linkId: 1 }), scan({ linkId: 2 })])
  await fold()
  await session.query('delete from links where id = 1')
  await purgeLinks(session.query, [1])
  // Another node may have recorded it before it learned of the deletion.
  write([scan({ linkId: 1 }), scan({ linkId: 2 })])
  await fold()
  assert.deepEqual(await linkIdsAfter(session.query, 0, 10), [2])
  const [row] = await session.query('select count(*)::integer as count from quirl_scans.scans where link_id = 1')
  assert.deepEqual(row, { count: 0 })
})

test('a deletion waits for a fold that has seen the link, so that its purge finds all scans', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const { write, fold } = openNode(t, session)
  write(Array.from({ length: 100 }, () => scan()))
  const deletion = session.query('delete from links where id = 1').then(() => purgeLinks(session.query, [1]))
  await Promise.all([fold(), deletion])
  const [row] = await session.query('select count(*)::integer as count from quirl_scans.scans')
  assert.deepEqual(row, { count: 0 })
})
