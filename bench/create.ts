// Aim: creations over HTTP share their syncs: at 64 connections 1.5 times the rate of bare inserts with an fsync each, on one
// connection 0.6 times. It depends on the disk (November 2026, two cores). Where an insert with its fsync takes a tenth of a
// millisecond, it is not reached: 0.8 to 1.4 and 0.2 to 0.36, and node:http that does nothing but insert and sync has 1.7 to
// 2.4 and 0.4 to 0.5. With SYNC_MS=0.2, an insert takes half a millisecond: 2.6 and 0.48 (bare: 3.3 and 0.59). With SYNC_MS=1,
// it takes 1.4 ms: 6.9 and 0.68 (bare: 7.1 and 0.77).
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create } from '../test/support/server.ts'
import { bareInserts } from './bare-sqlite.ts'
import { slowSyncs } from './slow-sync.ts'
import { median, printTable, serve, serveQuirl, temporaryFolder, wrk, type Load, type Served } from './support.ts'

slowSyncs()
const RUNS = 3
const SECONDS = 4
const WARM_SECONDS = 8
const CONNECTIONS = [1, 16, 64, 256]

const folder = temporaryFolder()
const script = join(folder, 'create.lua')
writeFileSync(
  script,
  `wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
   wrk.body = '{"target":"https://example.com/menu"}'`,
)
const quirl = await serveQuirl(join(folder, 'data'))
await create(quirl, { target: 'https://example.com/menu' })
const bareServer = await serve(fileURLToPath(new URL('bare-create.ts', import.meta.url)), [
  mkdtempSync(join(folder, 'bare-')),
])
const servers: [string, Served, string][] = [
  ['node:http with insert and sync', bareServer, `${bareServer.url}/`],
  ['POST /api/links', quirl, `${quirl.url}/api/links`],
]
// The compiler's work in the first seconds is no part of the cost of a creation.
for (const [, , url] of servers) wrk(url, WARM_SECONDS, script)

const bare: number[] = []
const series = servers.flatMap(([name, , url]) =>
  CONNECTIONS.map((connections) => ({
    what: `${name}, connections: ${connections}`,
    url,
    connections,
    done: [] as Load[],
  })),
)
for (let run = 0; run < RUNS; run++) {
  bare.push(await bareInserts(SECONDS))
  for (const { url, connections, done } of series) done.push(wrk(url, SECONDS, script, connections))
}
for (const [, server] of servers) await server.stop()

const baseline = median(bare)
const none = { 'p50 ms': '', 'p99 ms': '' }
const rows = series.map(({ what, done }) => {
  const rate = median(done.map(({ requestsPerSecond }) => requestsPerSecond))
  return {
    what,
    'per second': Math.round(rate),
    ratio: (rate / baseline).toFixed(2),
    'p50 ms': median(done.map(({ p50Milliseconds }) => p50Milliseconds)).toFixed(1),
    'p99 ms': median(done.map(({ p99Milliseconds }) => p99Milliseconds)).toFixed(1),
  }
})
const slower = process.env['SYNC_MS']
const disk = slower === undefined ? '' : `, each sync ${slower} ms slower`
printTable(`Creations, ${RUNS} alternating runs of ${SECONDS} s, medians${disk}`, [
  { what: 'the inserts alone, one fsync each', 'per second': Math.round(baseline), ratio: '1.00', ...none },
  ...rows,
])
