import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, NOW, scan } from '../../../test/support/fold-folders.ts'
import { openNode, openShared } from '../../../test/support/shared-folds.ts'
import { openPartitions } from './partitions.ts'

test('the removal of old scans drops whole months, and a later fold of old scans still finds a place', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const { write, fold } = openNode(t, session)
  const old = NOW - 60 * 24 * HOUR
  write([scan({ at: old }), scan({ at: NOW - HOUR }), scan({ at: NOW })])
  await fold()
  const partitions = openPartitions(session)
  await partitions.prune(NOW - HOUR / 2)
  const left = async () =>
    (await session.query<{ at: number }>('select at from quirl_scans.scans order by at')).map(({ at }) => at)
  assert.deepEqual(await left(), [NOW])
  write([scan({ at: old })])
  await fold()
  assert.deepEqual(await left(), [old, NOW])
  const [totals] = await session.query('select humans from quirl_scans.totals')
  assert.deepEqual(totals, { humans: 4 }, 'the counts stay')
})
