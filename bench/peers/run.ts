// Visits of quirl beside bare node:http, nginx, and other services that already run:
//   node bench/peers/run.ts --name Kutt --url http://127.0.0.1:3001 --visit /abc --name Shlink --url http://127.0.0.1:8080 --visit /def
// docs/benchmarks.md says how to start them. What this starts has one core; what already runs has the cores that it was given.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { create } from '../../test/support/server.ts'
import { median, printTable, serve, serveQuirl, temporaryFolder, wrk, type Load } from '../support.ts'
import { describeMachine } from './machine.ts'
import { startNginx } from './nginx.ts'

const RUNS = Number(process.env['RUNS'] ?? 3)
const SECONDS = Number(process.env['SECONDS'] ?? 4)
const BASELINE = 'bare node:http'

/** The peers that the command line names. @throws when one of them does not redirect */
async function readPeers(): Promise<[name: string, url: string][]> {
  const list = { type: 'string', multiple: true, default: [] as string[] } as const
  const {
    url: urls,
    visit: visits,
    name: names,
  } = parseArgs({ options: { url: list, visit: list, name: list } }).values
  if (urls.length !== visits.length) throw new Error('each --url needs a --visit: the path of one of its short links')
  const peers = urls.map((url, at): [string, string] => [names[at] ?? url, new URL(visits[at] ?? '/', url).href])
  for (const [name, url] of peers) {
    const { status, headers } = await fetch(url, { redirect: 'manual' })
    if (status < 300 || status > 399 || !headers.has('location'))
      throw new Error(`${name}: ${url} must redirect, and answers ${status}`)
  }
  return peers
}

const peers = await readPeers()
const bare = await serve(fileURLToPath(new URL('../bare-http.ts', import.meta.url)))
const quirl = await serveQuirl(temporaryFolder())
const { code } = await create(quirl, { target: 'https://example.com/menu' })
const nginx = await startNginx()
if (nginx === undefined) console.error('nginx is not installed (apt-get install nginx-light): it is left out')
const targets = new Map<string, string>([
  [BASELINE, bare.url],
  ...(nginx === undefined
    ? []
    : ([
        ['nginx, one worker, no log', nginx.silent],
        ['nginx, one worker, access log', nginx.logging],
      ] as const)),
  ['quirl, each visit recorded before its response', `${quirl.url}/${code}`],
  ...peers,
])

const loads = new Map<string, Load[]>()
for (const url of targets.values()) wrk(url, 2)
for (let run = 0; run < RUNS; run++)
  for (const [name, url] of targets) loads.set(name, [...(loads.get(name) ?? []), wrk(url, SECONDS)])
await Promise.all([bare.stop(), quirl.stop(), nginx?.stop()])

const rateOf = (name: string) => median((loads.get(name) ?? []).map(({ requestsPerSecond }) => requestsPerSecond))
console.log(describeMachine())
printTable(
  `Visits, ${RUNS} alternating runs of ${SECONDS} s at 64 connections, medians`,
  [...loads].map(([server, runs]) => ({
    server,
    'visits/s': Math.round(rateOf(server)),
    ratio: (rateOf(server) / rateOf(BASELINE)).toFixed(2),
    'p50 ms': median(runs.map(({ p50Milliseconds }) => p50Milliseconds)).toFixed(2),
    'p99 ms': median(runs.map(({ p99Milliseconds }) => p99Milliseconds)).toFixed(1),
  })),
)
