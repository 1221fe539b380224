// Claim: a visit of a cached link costs little more than a bare node:http redirect, even with its scan recorded before the
// response. The fold runs on the same core at the same time.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create } from '../test/support/server.ts'
import { median, printTable, readMetric, serve, serveQuirl, temporaryFolder, wrk, type Load } from './support.ts'

const RUNS = 3
const SECONDS = 5

const folder = temporaryFolder()
const head = join(folder, 'head.lua')
writeFileSync(head, 'wrk.method = "HEAD"')
const bare = await serve(fileURLToPath(new URL('bare-http.ts', import.meta.url)))
const quirl = await serveQuirl(join(folder, 'process'))
const power = await serveQuirl(join(folder, 'power'), '--scan-sync=power')
const address = async (served: { url: string }) =>
  `${served.url}/${(await create(served, { target: 'https://example.com/menu' })).code}?qr=1`

const BASELINE = 'bare node:http 302'
const RECORDED = 'quirl, recorded (SCAN_SYNC=process)'
const targets: Record<string, { url: string; script?: string }> = {
  [BASELINE]: { url: bare.url },
  'quirl, HEAD: not recorded': { url: await address(quirl), script: head },
  [RECORDED]: { url: await address(quirl) },
  'quirl, recorded (SCAN_SYNC=power)': { url: await address(power) },
}

const loads = new Map<string, Load[]>(Object.keys(targets).map((name) => [name, []]))
const backlogs: number[] = []
for (const { url, script } of Object.values(targets)) wrk(url, 2, script)
for (let run = 0; run < RUNS; run++) {
  for (const [name, { url, script }] of Object.entries(targets)) {
    loads.get(name)?.push(wrk(url, SECONDS, script))
    if (name === RECORDED) backlogs.push(await readMetric(quirl, 'quirl_journal_backlog_bytes'))
  }
}
await Promise.all([bare.stop(), quirl.stop(), power.stop()])

const rate = (name: string) => median((loads.get(name) ?? []).map((load) => load.requestsPerSecond))
const rows = [...loads].map(([name, all]) => ({
  server: name,
  'visits/s': Math.round(rate(name)),
  ratio: (rate(name) / rate(BASELINE)).toFixed(2),
  'p99 ms': median(all.map((load) => load.p99Milliseconds)).toFixed(1),
}))
printTable(`Visits, ${RUNS} alternating runs of ${SECONDS} s at 64 connections, medians`, rows)
const backlog = (median(backlogs) / 2 ** 20).toFixed(1)
console.log(`\nJournal backlog at the end of a run with SCAN_SYNC=process: ${backlog} MiB`)
