// Claim: the first page of the list of a collection of 10,000 links takes less than 50 ms (p50), however it is sorted, and no list,
// search or overview of one holds the event loop for 50 ms. A search without a match reads every link; half of them have targets of
// 2 KB. Baselines: the same server idle, and collections of 100 and of 1,000 links. On a busy machine the least of several runs counts.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { probeEnvironment, readHolds } from '../test/support/holds.ts'
import { post, type Created } from '../test/support/server.ts'
import { median, printTable, serveQuirl, temporaryFolder } from './support.ts'

const RUNS = Number(process.env['RUNS'] ?? 15)
const SIZES = [100, 1000, 10_000]
const ROWS = 500
const folder = temporaryFolder()
const probe = probeEnvironment(folder)
Object.assign(process.env, probe)
const quirl = await serveQuirl(join(folder, 'data'))

async function createCollection(links: number): Promise<string> {
  const { token } = (await (await post(`${quirl.url}/api/collections`, {})).json()) as Created
  for (let from = 0; from < links; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, links - from) }, (_, index) => {
      const at = from + index
      const path = at % 2 === 0 ? String(at) : `${at}/${'x'.repeat(2000)}`
      return { target: `https://example.com/${path}`, title: `Table ${at}`, campaign: `campaign ${at % 50}` }
    })
    const response = await post(`${quirl.url}/api/bulk`, rows, { 'quirl-collection': token })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  }
  return token
}

const questions: Record<string, string> = {
  'first page': '/links',
  'by title': '/links?sort=title',
  'by scans': '/links?sort=scans',
  'search without a match': '/links?q=nothing%20has%20this',
  'one campaign': '/links?campaign=campaign%207',
  overview: '',
}

/** The p50 of a question, and the longest time for which the event loop was held, in milliseconds. */
async function measure(path: string): Promise<{ p50: number; longest: number }> {
  await readHolds(quirl.process, probe.HOLD_FILE)
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now()
    const response = await fetch(quirl.url + path)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`)
    times.push(performance.now() - began)
  }
  const { longest } = await readHolds(quirl.process, probe.HOLD_FILE)
  return { p50: median(times), longest }
}

try {
  const rows: Record<string, string | number>[] = []
  await readHolds(quirl.process, probe.HOLD_FILE)
  await sleep(2000)
  const idle = await readHolds(quirl.process, probe.HOLD_FILE)
  for (const links of SIZES) {
    const token = await createCollection(links)
    for (const [question, path] of Object.entries(questions)) {
      const { p50, longest } = await measure(`/api/collections/${token}${path}`)
      const smallest = Number(rows.find((row) => row['question'] === question)?.['p50 ms'] ?? p50)
      rows.push({
        question,
        links: links.toLocaleString('en'),
        'p50 ms': p50.toFixed(1),
        [`as long as with ${SIZES[0]}`]: (p50 / smallest).toFixed(1),
        'longest hold ms': longest.toFixed(1),
      })
    }
  }
  printTable(`Lists of collections; idle, the longest hold is ${idle.longest.toFixed(1)} ms`, rows)
} finally {
  await quirl.stop()
}
