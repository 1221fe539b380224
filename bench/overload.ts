// Claim: whatever a thousand connections request as fast as they can, the p99 of /healthz is below 250 ms, every
// request receives a response (2xx, 3xx, 429 or 503), and the memory does not grow. Baseline: the same without load.
import { setTimeout as sleep } from 'node:timers/promises'
import { load, moveToLoadCore, percentile, probe, requestsTo, type Responses } from './load.ts'
import { printTable, readMetric, serveQuirl, temporaryFolder } from './support.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 20)
const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 1000)
const PACE = 20

moveToLoadCore()
const rows: Record<string, string | number>[] = []
const noLoad: Responses = { done: 0, limited: 0, refused: 0, other: 0, failed: 0 }

async function measure(what: string): Promise<void> {
  const quirl = await serveQuirl(temporaryFolder())
  const requests = await requestsTo(quirl)
  const health = { path: '/healthz', isNew: true }
  const kinds = what === 'mix' ? Object.values(requests) : [requests[what] ?? '']
  await probe(quirl.url, health, PACE, 1)
  const loading = what === 'none' ? noLoad : load(quirl.url, kinds, CONNECTIONS, SECONDS)
  const probing = probe(quirl.url, health, PACE, SECONDS)
  const memory: number[] = []
  for (let second = 0; second < SECONDS; second++) {
    await sleep(1000)
    memory.push(await readMetric(quirl, 'process_resident_memory_bytes'))
  }
  const [responses, took] = await Promise.all([loading, probing])
  await quirl.stop()
  const p99 = percentile(took, 0.99)
  const mebibytes = (part: number[]) => Math.round(Math.max(...part) / 2 ** 20)
  rows.push({
    [`${CONNECTIONS} connections`]: what,
    'done/s': Math.round(responses.done / SECONDS),
    '429/s': Math.round(responses.limited / SECONDS),
    '503/s': Math.round(responses.refused / SECONDS),
    other: responses.other,
    failed: responses.failed,
    '/healthz p99 ms': p99.toFixed(1),
    ratio: (p99 / Number(rows[0]?.['/healthz p99 ms'] ?? p99)).toFixed(1),
    'longest ms': Math.max(...took).toFixed(0),
    'MiB, first half': mebibytes(memory.slice(0, memory.length / 2)),
    'MiB, second half': mebibytes(memory.slice(memory.length / 2)),
  })
}

const usual = 'none,visits,creations,images,designs,statistics,exports,pages,mix'
for (const what of (process.env['KINDS'] ?? usual).split(',')) await measure(what)
printTable(`Overload for ${SECONDS} s each`, rows)
