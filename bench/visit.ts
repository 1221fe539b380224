// Claim: a visit of a known link costs little more than a bare node:http redirect.
import { create } from '../test/support/server.ts'
import { median, printTable, serve, serveQuirl, temporaryFolder, wrk, type Load } from './support.ts'

const RUNS = 3
const SECONDS = 5

const bare = await serve(new URL('bare-http.ts', import.meta.url).pathname)
const quirl = await serveQuirl(temporaryFolder())
const link = await create(quirl, { target: 'https://example.com/menu' })
const targets = { 'bare node:http 302': bare.url, 'quirl, one link': `${quirl.url}/${link.code}?qr=1` }

const loads = new Map<string, Load[]>(Object.keys(targets).map((name) => [name, []]))
for (const url of Object.values(targets)) wrk(url, 2)
for (let run = 0; run < RUNS; run++) {
  for (const [name, url] of Object.entries(targets)) loads.get(name)?.push(wrk(url, SECONDS))
}
await Promise.all([bare.stop(), quirl.stop()])

const rate = (name: string) => median((loads.get(name) ?? []).map((load) => load.requestsPerSecond))
const rows = [...loads].map(([name, all]) => ({
  server: name,
  'visits/s': Math.round(rate(name)),
  ratio: (rate(name) / rate('bare node:http 302')).toFixed(2),
  'p99 ms': median(all.map((load) => load.p99Milliseconds)).toFixed(1),
}))
printTable(`Visits, ${RUNS} alternating runs of ${SECONDS} s at 64 connections, medians`, rows)
