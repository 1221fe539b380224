import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoLater } from './support/cleanup.ts'
import { startTwo } from './support/nodes.ts'
import { poll } from './support/poll.ts'
import { create, post } from './support/server.ts'
import { valueOf } from './support/metrics.ts'

test('reports that wait for the row of their link keep no connection to PostgreSQL from changes and readiness', async (t) => {
  const nodes = await startTwo(t, { LIMIT_REPORTS: '0' })
  if (nodes === undefined) return
  const [node, other] = nodes
  const link = await create(node, { target: 'https://example.com/' })
  const report = () => post(`${node.url}/api/reports`, { code: link.code, reason: 'spam' })
  assert.equal((await report()).status, 202)
  const locked = Promise.withResolvers<void>()
  const ends = Promise.withResolvers<void>()
  const locking = other.services.db.transaction(async (transaction) => {
    await transaction
      .updateTable('reports')
      .set((of) => ({ count: of.ref('count') }))
      .execute()
    locked.resolve()
    await ends.promise
  })
  undoLater(t, () => ends.resolve())
  await locked.promise
  const reports = Array.from({ length: 20 }, report)
  const queued = () => valueOf(node.services.limits.admission.metrics, 'quirl_requests_queued', 'reports')
  await poll(() => queued() === 18)
  assert.equal((await post(`${node.url}/api/links`, { target: 'https://example.com/' })).status, 201)
  assert.equal((await fetch(`${node.url}/readyz`)).status, 200)
  ends.resolve()
  await locking
  for (const each of await Promise.all(reports)) assert.ok([202, 503].includes(each.status), String(each.status))
})
