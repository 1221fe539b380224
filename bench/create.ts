// Claim: a creation over HTTP, validated, fsynced and answered, costs little more than its inserts alone; and while links
// are created as fast as it goes, visits are still answered in time.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { create } from '../test/support/server.ts'
import { bareInserts } from './bare-sqlite.ts'
import { median, printTable, serveQuirl, temporaryFolder, wrk } from './support.ts'

const RUNS = 3
const SECONDS = 5

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

const bare: number[] = []
const created: number[] = []
const p99: number[] = []
for (let run = 0; run < RUNS; run++) {
  bare.push(await bareInserts(SECONDS))
  const load = wrk(`${quirl.url}/api/links`, SECONDS, script)
  created.push(load.requestsPerSecond)
  p99.push(load.p99Milliseconds)
}
await quirl.stop()

const baseline = median(bare)
printTable(`Creations, ${RUNS} alternating runs of ${SECONDS} s, medians`, [
  { what: 'the inserts alone, one fsync each', 'per second': Math.round(baseline), ratio: '1.00', 'p99 ms': '' },
  {
    what: 'POST /api/links, 64 connections',
    'per second': Math.round(median(created)),
    ratio: (median(created) / baseline).toFixed(2),
    'p99 ms': median(p99).toFixed(1),
  },
])
