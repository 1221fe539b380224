// Claim: one request for 500 links costs a fraction of 500 requests, because the links share one transaction and its fsync.
import { median, printTable, serveQuirl, temporaryFolder } from './support.ts'
import { post } from '../test/support/server.ts'

const RUNS = 7
const ROWS = 500

const quirl = await serveQuirl(temporaryFolder())
const row = (at: number) => ({ target: `https://example.com/menu/${at}`, title: `Table ${at}`, campaign: 'tables' })
const rows = Array.from({ length: ROWS }, (_, at) => row(at))
const csv = `target,title,campaign\n${rows.map(({ target, title, campaign }) => `${target},${title},${campaign}\n`).join('')}`

async function time(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function send(path: string, body: unknown): Promise<void> {
  const response = await post(`${quirl.url}${path}`, body)
  if (response.status !== 201) throw new Error(`${path} returned ${response.status}`)
  await response.arrayBuffer()
}

const ways = {
  '500 single creations, one after the other': async () => {
    for (const each of rows) await send('/api/links', each)
  },
  'one bulk request, JSON': () => send('/api/bulk', rows),
  'one bulk request, CSV': () => send('/api/bulk', { csv }),
  'one bulk request, ZIP of images': () => send('/api/bulk?qr=zip', rows),
}
const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]))
for (let run = 0; run < RUNS; run++) {
  for (const [name, way] of Object.entries(ways)) times.get(name)?.push(await time(way))
}
await quirl.stop()

const [baseline = Number.NaN] = [...times.values()].map(median)
printTable(
  `${ROWS} links, ${RUNS} alternating runs, medians`,
  [...times].map(([name, all]) => ({
    request: name,
    ms: median(all).toFixed(1),
    'slowest ms': Math.max(...all).toFixed(1),
    'times faster': (baseline / median(all)).toFixed(1),
  })),
)
