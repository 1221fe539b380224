// Claim: one request for 500 links costs a fraction of 500 requests, because the links share one transaction and its fsync. The same
// holds for changes.
import { median, printTable, serveQuirl, temporaryFolder } from './support.ts'
import { post, put, type Created } from '../test/support/server.ts'

const RUNS = 7
const ROWS = 500

const quirl = await serveQuirl(temporaryFolder())
const row = (at: number) => ({ target: `https://example.com/menu/${at}`, title: `Table ${at}`, campaign: 'tables' })
const rows = Array.from({ length: ROWS }, (_, at) => row(at))
const csv = `target,title,campaign\n${rows.map(({ target, title, campaign }) => `${target},${title},${campaign}\n`).join('')}`

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function send(path: string, body: unknown, by = post): Promise<string> {
  const response = await by(`${quirl.url}${path}`, body)
  if (response.status >= 300) throw new Error(`${path} returned ${response.status}`)
  return response.text()
}

const creations = {
  '500 single creations, one after the other': async () => {
    for (const each of rows) await send('/api/links', each)
  },
  'one bulk request, JSON': () => send('/api/bulk', rows),
  'one bulk request, CSV': () => send('/api/bulk', { csv }),
  'one bulk request, ZIP of images': () => send('/api/bulk?qr=zip', rows),
}

const { results: links } = JSON.parse(await send('/api/bulk', rows)) as { results: Created[] }
let count = 0
/** Changes of all links, each to a destination that it has not had. */
const newRows = () => links.map(({ token }) => ({ token, target: `https://example.com/new/${++count}` }))

const changes = {
  '500 single changes, one after the other': async () => {
    for (const { token, target } of newRows()) await send(`/api/manage/${token}`, { target }, put)
  },
  'one request': () => send('/api/manage', { changes: newRows() }),
  'one request, atomic': () => send('/api/manage?atomic=true', { changes: newRows() }),
}

/** Measures ways to do the same in alternating runs; the first is the baseline. */
async function compare(title: string, ways: Record<string, () => Promise<unknown>>): Promise<void> {
  const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]))
  for (let run = 0; run < RUNS; run++) {
    for (const [name, way] of Object.entries(ways)) times.get(name)?.push(await time(way))
  }
  const [baseline = Number.NaN] = [...times.values()].map(median)
  printTable(
    `${title}, ${RUNS} alternating runs, medians`,
    [...times].map(([name, all]) => ({
      request: name,
      ms: median(all).toFixed(1),
      'slowest ms': Math.max(...all).toFixed(1),
      'times faster': (baseline / median(all)).toFixed(1),
    })),
  )
}

await compare(`${ROWS} links`, creations)
await compare(`Changes of ${ROWS} links`, changes)
await quirl.stop()
