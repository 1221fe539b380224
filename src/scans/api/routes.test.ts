import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageReader, pages } from './routes.ts'

/** What a fold in PostgreSQL may wait for before each of its statements. */
const MOST = 200

test('an export reads few rows at a time, because folds wait for each page between their statements', async () => {
  const scans = 1_000
  const limits: number[] = []
  const page = async (...[, , [at = 0], limit]: Parameters<Parameters<typeof pageReader>[0]['page']>) => {
    limits.push(limit)
    const until = Math.min(scans, at + limit)
    return { text: `${until - at}\n`, next: until < scans ? [until] : undefined }
  }
  const { signal } = new AbortController()
  const slot = { holder: { allocation: 'n', network: 'n', client: 'c', about: 1 }, signal, advance() {}, release() {} }
  let written = ''
  const read = pageReader({ page }, slot, { name: 'scans', linkId: 1 })
  for await (const text of pages('scans', read, await read([]))) written += text
  const [, ...counts] = written.trim().split('\n').map(Number)
  assert.equal(
    counts.reduce((sum, each) => sum + each, 0),
    scans,
  )
  assert.ok(
    limits.every((limit) => limit <= MOST),
    limits.join(),
  )
})
