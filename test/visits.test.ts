import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kysely'
import { create, put, startServer, visit } from './support/server.ts'

const visits = async (url: string, count: number) => {
  const all = await Promise.all(Array.from({ length: count }, () => visit(url)))
  return [...new Set(all.map(({ status, headers }) => headers.get('location') ?? String(status)))]
}

test('each visit after a change uses it, however many visits came before', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: 'https://example.com/0', alias: 'Changing' })
  const manage = `${server.url}/api/manage/${link.token}`
  for (let at = 1; at <= 6; at++) {
    assert.deepEqual(await visits(link.short_url, at - 1), at === 1 ? [] : [`https://example.com/${at - 1}`])
    assert.equal((await put(manage, { target: `https://example.com/${at}` })).status, 200)
    assert.deepEqual(await visits(`${server.url}/CHANGING`, at), [`https://example.com/${at}`])
  }
  assert.equal((await put(manage, { active: false })).status, 200)
  assert.deepEqual(await visits(link.short_url, 3), ['404'])
  assert.equal((await put(manage, { active: true })).status, 200)
  assert.deepEqual(await visits(link.short_url, 3), ['https://example.com/6'])
  assert.equal((await fetch(manage, { method: 'DELETE' })).status, 200)
  assert.deepEqual(await visits(link.short_url, 3), ['410'])
})

test('a page keeps its path although an older release gave a link that code', async (t) => {
  const server = await startServer(t)
  for (const word of ['healthz', 'metrics']) {
    const link = await create(server, { target: 'https://example.com/' })
    const { write } = server.services.db
    await sql`update links set code_key = ${word}, code = ${word} where code = ${link.code}`.execute(write)
    // The preview reads the link from the store.
    for (let again = 0; again < 3; again++) assert.equal((await visit(`${server.url}/${word}+`)).status, 200)
    assert.deepEqual(await visits(`${server.url}/${word}`, 3), ['200'])
  }
})

test('a code in a sentence is visited and recorded, with what follows it, as a scan where the query says so', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: 'https://example.com/' })
  for (const after of ['.', ',', ')', '%20', '%C2%A0', '%E2%80%8B', '),%22', '!?qr=1'])
    assert.deepEqual(await visits(link.short_url + after, 1), ['https://example.com/'], after)
  assert.deepEqual(await visits(`${link.short_url}x.`, 1), ['404'])
  const details = (await (await fetch(`${server.url}/api/manage/${link.token}`)).json()) as {
    totals: { scans: number; qr: number }
  }
  assert.deepEqual([details.totals.scans, details.totals.qr], [8, 1])
})

test('visits of an unreadable link get a 500 each time', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: 'https://example.com/' })
  await sql`update links set utm = 'not json'`.execute(server.services.db.write)
  assert.deepEqual(await visits(link.short_url, 3), ['500'])
  await sql`alter table links rename to elsewhere`.execute(server.services.db.write)
  assert.deepEqual(await visits(`${server.url}/another`, 3), ['500'])
  assert.equal((await visit(`${server.url}/healthz`)).status, 200)
})
