// What clients store while the disk is nearly full: what is left is shared.
import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test, type TestContext } from 'node:test'
import { fetchFrom, sendFrom, type Received } from './support/loopback.ts'
import { scrape } from './support/metrics.ts'
import { dataUri } from './support/logos.ts'
import { startServer } from './support/server.ts'

const [GREEDY, NEIGHBOUR, OTHER] = ['127.1.1.1', '127.1.1.2', '127.2.2.2']
const WITHOUT_CLIENTS = { LIMIT_LINKS: '0', LIMIT_BULK: '0', LIMIT_CHANGES: '0', LIMIT_QR: '0', LIMIT_FAILURES: '0' }

/** A service whose disk has less than the floor free, and more than a half of it. */
function startNearlyFull(t: TestContext) {
  const { bavail, bsize } = statfsSync(tmpdir())
  const floor = Math.floor((bavail * bsize * 1.2) / 2 ** 20)
  return startServer(t, { ...WITHOUT_CLIENTS, DISK_FLOOR: `${floor}M` })
}

/** Links that take about so many KiB in the store. */
function rowsOf(kib: number): object[] {
  const target = `https://example.com/?${'x'.repeat(1500)}`
  return Array.from({ length: Math.floor(kib / 2) }, () => ({ target }))
}

interface Made {
  code: string
  token: string
}

const linkOf = (answer: Received) => JSON.parse(answer.text) as Made
const detailOf = (answer: Received) => (JSON.parse(answer.text) as { detail: string }).detail

test('while the disk is nearly full, a client stores two MiB an hour, and its network thirty-two; others are not refused', async (t) => {
  const { url } = await startNearlyFull(t)
  const bulk = (from: string, kib: number) => sendFrom(from, `${url}/api/bulk`, rowsOf(kib))
  const own = linkOf(await sendFrom(GREEDY, `${url}/api/links`, { target: 'https://example.com/' }))
  assert.equal((await bulk(GREEDY, 900)).status, 201)
  assert.equal((await bulk(GREEDY, 900)).status, 201)
  const refused = await bulk(GREEDY, 900)
  assert.equal(refused.status, 429)
  assert.match(
    detailOf(refused),
    /^2048 KiB can be stored, while the disk of the service is nearly full, from one address in an hour, of which \d+ are left for the \d+ of this request; try again in \d+ minutes$/,
  )
  assert.equal((await scrape(url)).values.get('quirl_requests_limited_total{limit="room"}'), 1)

  const manage = `${url}/api/manage/${own.token}`
  const title = 'x'.repeat(200)
  // Until not even a KiB is left.
  const small = () => sendFrom(GREEDY, `${url}/api/links`, { target: 'https://example.com/' })
  let last = await small()
  for (let at = 0; at < 300 && last.status === 201; at++) last = await small()
  assert.equal(last.status, 429)
  assert.equal((await sendFrom(OTHER, `${url}/api/links`, { target: 'https://example.com/', title })).status, 201)
  assert.equal((await sendFrom(GREEDY, manage, { active: false }, 'PUT')).status, 200)
  assert.equal((await fetchFrom(GREEDY, manage, { method: 'DELETE' })).status, 200)

  for (let at = 3; at < 40; at++) await bulk(`127.1.1.${at}`, 1000)
  const ofNetwork = await bulk(NEIGHBOUR, 1000)
  assert.equal(ofNetwork.status, 429)
  assert.match(detailOf(ofNetwork), /^32768 KiB can be stored, .* from one network \(IPv4 \/24, IPv6 \/48\)/)
  assert.equal((await bulk(OTHER, 900)).status, 201)
})

test('what counts is what is stored: a look that many rows name counts for each, and a change for what it replaces as well', async (t) => {
  const { url } = await startNearlyFull(t)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><desc>${'x'.repeat(20_000)}</desc><path d="M0 0h9v9H0z"/></svg>`
  const logo = { image: dataUri('svg+xml', svg), size: 0.2 }
  const made = await sendFrom(GREEDY, `${url}/api/collections`, { name: 'menus' })
  const { token } = JSON.parse(made.text) as { token: string }
  const collection = `${url}/api/collections/${token}`
  const saved = await sendFrom(GREEDY, collection, { looks: { red: { logo } } }, 'PUT')
  assert.equal(saved.status, 200, saved.text)
  const rows = Array.from({ length: 100 }, () => ({ target: 'https://example.com/', design: { look: 'red' } }))
  const named = await fetchFrom(GREEDY, `${url}/api/bulk`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'quirl-collection': token },
    body: JSON.stringify(rows),
  })
  assert.equal(named.status, 429, named.text)
  const inline = rows.slice(0, 45).map((row) => ({ ...row, design: { logo } }))
  const designed = await sendFrom(NEIGHBOUR, `${url}/api/bulk`, inline)
  assert.equal(designed.status, 201, `a design counts once: ${designed.text.slice(0, 500)}`)

  const link = linkOf(await sendFrom(OTHER, `${url}/api/links`, { target: `https://example.com/?${'x'.repeat(1900)}` }))
  const statuses: number[] = []
  for (let at = 0; at < 700; at++) {
    const target = `https://example.com/?${String(at % 10).repeat(1900)}`
    statuses.push((await sendFrom(OTHER, `${url}/api/manage/${link.token}`, { target }, 'PUT')).status)
  }
  const changed = statuses.filter((status) => status === 200).length
  assert.ok(changed > 300 && changed < 600, `${changed} changes of four KiB each`)
  assert.ok(statuses.includes(429))
})

test('what counts is also the response, where it is stored for retries', async (t) => {
  const { url } = await startNearlyFull(t)
  const bulk = (from: string, key?: string) =>
    fetchFrom(from, `${url}/api/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      body: JSON.stringify(rowsOf(600)),
    })
  const statuses = [await bulk(GREEDY, 'menu of the spring'), await bulk(GREEDY, 'menu of the summer')]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [201, 429],
  )
  const others = [await bulk(OTHER), await bulk(OTHER)]
  assert.deepEqual(
    others.map(({ status }) => status),
    [201, 201],
  )
})

test('where the disk has room, how much is stored is bounded by the other quotas only', async (t) => {
  const { url } = await startServer(t, WITHOUT_CLIENTS)
  for (let at = 0; at < 4; at++) assert.equal((await sendFrom(GREEDY, `${url}/api/bulk`, rowsOf(900))).status, 201)
})
