// `npm run test:soak`: mixed load for SECONDS (600). Only intended answers, memory that does not grow in the second half, no
// descriptor that stays open, and each answered visit counted once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../support/cleanup.ts'
import { scrape } from '../support/metrics.ts'
import { poll } from '../support/poll.ts'
import { exitOf, start } from '../support/program.ts'
import { seededRandom } from '../support/random.ts'
import { post } from '../support/server.ts'
import { runLoad, type SoakLink } from './load.ts'
import { median, slopeOf } from './trend.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 600)
const [HOT, COLD] = [32, 20_000]
const MAX_ROWS = 500
/** By how much the memory may grow in the second half: caches are not full after some minutes. */
const GROWTH = { share: 0.08, bytes: 16 * 2 ** 20 }
/** Descriptors that come and go: databases that are read, journal files, threads. */
const SPARE_FILES = 8

const unlimited = ['links', 'changes', 'bulk', 'aliases', 'qr', 'failures', 'misses'].map((name) => `--limit-${name}=0`)
const MiB = (bytes: number) => (bytes / 2 ** 20).toFixed(1)

async function createLinks(url: string, count: number, name: string): Promise<SoakLink[]> {
  const links: SoakLink[] = []
  while (links.length < count) {
    const rows = Array.from({ length: Math.min(MAX_ROWS, count - links.length) }, (_, at) => ({
      target: `https://example.com/${name}/${links.length + at}`,
    }))
    const response = await post(`${url}/api/bulk`, rows)
    assert.equal(response.status, 201)
    const { results } = (await response.json()) as { results: { code: string; token: string }[] }
    for (const [at, { code, token }] of results.entries())
      links.push({ code, token, target: rows[at]?.target ?? '', answered: 0, sent: 0 })
  }
  return links
}

/** Each link whose statistics have another number of visits than were answered. */
async function findMiscounted(url: string, links: SoakLink[]): Promise<string[]> {
  const wrong: string[] = []
  for (let from = 0; from < links.length; from += MAX_ROWS) {
    const part = links.slice(from, from + MAX_ROWS)
    // Of two days, because the load may have begun before midnight.
    const response = await post(`${url}/api/stats`, { tokens: part.map(({ token }) => token), days: 2 })
    assert.equal(response.status, 200)
    const { links: rows } = (await response.json()) as { links: { totals: { scans: number } }[] }
    for (const [at, { code, answered, sent }] of part.entries()) {
      const counted = rows[at]?.totals.scans ?? Number.NaN
      if (!(counted >= answered && counted <= sent)) wrong.push(`${code}: ${answered} answered, ${counted} counted`)
    }
  }
  return wrong
}

test(`mixed load for ${SECONDS} seconds`, { timeout: (SECONDS + 300) * 1000 }, async (t) => {
  assert.ok(SECONDS >= 20, 'SECONDS must be at least 20')
  const random = seededRandom(t)
  const service = await start(t, temporaryFolder(t), unlimited)
  const { url } = service
  const hot = await createLinks(url, HOT, 'hot')
  const cold = await createLinks(url, COLD, 'cold')
  const read = async (...names: string[]) => {
    const { values } = await scrape(url)
    return names.map((name) => values.get(name) ?? Number.NaN)
  }

  const over = new AbortController()
  setTimeout(() => over.abort(), SECONDS * 1000)
  const loading = runLoad(url, { hot, cold }, random, over)
  loading.catch(() => {})
  const samples: { memory: number; files: number }[] = []
  while (!over.signal.aborted) {
    const sampled = read('process_resident_memory_bytes', 'process_open_fds', 'quirl_connections')
    // A connection that has timed out costs a sample.
    const [memory = NaN, files = NaN, connections = NaN] = await sampled.catch(() => [])
    if (memory > 0) samples.push({ memory, files: files - connections })
    await sleep(1000)
  }
  const tallies = await loading

  const visited = [...hot, ...cold]
  const answered = visited.reduce((sum, link) => sum + link.answered, 0)
  const sent = visited.reduce((sum, link) => sum + link.sent, 0)
  for (const [kind, { done, refused, interrupted }] of Object.entries(tallies)) {
    t.diagnostic(`${kind}: ${done} done, ${refused} refused, ${interrupted} interrupted`)
    assert.ok(done > 0, kind)
  }
  const second = samples.slice(Math.floor(samples.length / 2)).map(({ memory }) => memory)
  const growth = slopeOf(second) * second.length
  const quarter = (at: number) => samples.slice((at * samples.length) / 4, ((at + 1) * samples.length) / 4)
  const usual = [0, 1, 2, 3].map((at) => median(quarter(at).map(({ memory }) => memory)))
  const files = [0, 1, 2, 3].map((at) => median(quarter(at).map((sample) => sample.files)))
  t.diagnostic(`memory by quarters ${usual.map(MiB).join(' ')} MiB; growth in the second half ${MiB(growth)} MiB`)
  t.diagnostic(`files without connections, by quarters: ${files.join(' ')}`)

  await t.test('each answered visit is counted once', async () => {
    assert.deepEqual(await findMiscounted(url, visited), [])
    const [recorded = NaN, redirected = NaN, lost] = await read(
      'quirl_scans_recorded_total',
      'quirl_http_responses_total{kind="visits",code="3xx"}',
      'quirl_scans_lost_total',
    )
    t.diagnostic(`${answered} visits answered, ${recorded} recorded`)
    assert.equal(lost, 0)
    for (const counted of [recorded, redirected]) assert.ok(counted >= answered && counted <= sent, `${counted}`)
  })

  await t.test('the memory does not grow in the second half', () => {
    assert.ok(growth < Math.max(GROWTH.bytes, GROWTH.share * median(second)), `${MiB(growth)} MiB`)
  })

  await t.test('no descriptor stays open, and no request', async () => {
    assert.ok(Math.max(...files) - (files[1] ?? 0) <= SPARE_FILES, files.join(' '))
    let left: number[] = []
    await poll(
      async () => {
        left = await read('quirl_connections', 'quirl_stream_listeners', 'quirl_request_body_bytes', 'process_open_fds')
        const [connections = NaN, streams, bodies, open = NaN] = left
        // The scrape has one, and fetch keeps another.
        return connections <= 2 && streams === 0 && bodies === 0 && open - connections <= (files[1] ?? 0) + SPARE_FILES
      },
      () => left.join(' '),
    )
  })

  await t.test('the log is empty, and the stop is clean', async () => {
    const faults = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"level"'))
    assert.deepEqual(
      faults.filter((line) => !/too many such requests|the client has disconnected/.test(line)),
      [],
    )
    service.process.kill('SIGTERM')
    assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  })
})
