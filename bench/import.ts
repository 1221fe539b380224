// Claim: an import takes 10,000 links of each format in under 5 s, and about as long as the same links by bulk requests, which
// have no tokens to write before and no clicks to count. The first row is the baseline.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { post } from '../test/support/server.ts'
import { program } from '../test/support/program.ts'
import { median, printTable, serveQuirl, temporaryFolder } from './support.ts'

const LINKS = 10_000
const RUNS = 3
const CHUNK = 500

const folder = temporaryFolder()
const dataDir = temporaryFolder()
const quirl = await serveQuirl(dataDir)
const created = '2024-05-01T10:00:00.000Z'
const target = (at: number) => `https://shop.example/some/path/${at}`
const csv = (header: string, row: (code: string, at: number) => string) => (codes: string[]) =>
  `${header}\n${codes.map((code, at) => `${row(code, at)}\n`).join('')}`
const json = (list: (rows: object[]) => unknown, row: (code: string, at: number) => object) => (codes: string[]) =>
  JSON.stringify(list(codes.map(row)))

const formats: Record<string, (codes: string[]) => string> = {
  csv: csv('code,target,title,created_at,clicks', (code, at) => `${code},${target(at)},Title,${created},7`),
  yourls: csv(
    'keyword,url,title,timestamp,ip,clicks',
    (code, at) => `${code},${target(at)},Title,2024-05-01 10:00:00,,7`,
  ),
  shlink: json(
    (data) => ({ shortUrls: { data } }),
    (shortCode, at) => ({
      shortCode,
      longUrl: target(at),
      dateCreated: created,
      visitsSummary: { total: 7 },
      meta: {},
    }),
  ),
  kutt: json(
    (data) => ({ data }),
    (address, at) => ({ address, target: target(at), created_at: created, visit_count: 7 }),
  ),
  dub: csv('Short link,Destination URL,Clicks', (code, at) => `https://dub.example/${code},${target(at)},7`),
  bitly: json(
    (links) => ({ links }),
    (code, at) => ({ id: `bit.ly/${code}`, long_url: target(at), created_at: created, clicks: 7 }),
  ),
}

let round = 0
const newCodes = () => {
  round++
  return Array.from({ length: LINKS }, (_, at) => `r${round}x${at}`)
}

async function byBulk(codes: string[]): Promise<void> {
  for (let from = 0; from < codes.length; from += CHUNK) {
    const rows = codes
      .slice(from, from + CHUNK)
      .map((alias, at) => ({ alias, target: target(from + at), title: 'Title' }))
    const response = await post(`${quirl.url}/api/bulk`, rows)
    if (response.status !== 201) throw new Error(`a bulk request returned ${response.status}`)
    await response.arrayBuffer()
  }
}

function byImport(from: string, codes: string[]): void {
  const file = join(folder, `${from}-${round}`)
  writeFileSync(file, formats[from]?.(codes) ?? '')
  execFileSync(process.execPath, [program, 'import', file, `--from=${from}`, `--data-dir=${dataDir}`])
  const keys = readFileSync(`${file}.keys.csv`, 'utf8').trimEnd().split('\n').length - 1
  if (keys !== LINKS) throw new Error(`${from}: ${keys} links instead of ${LINKS}`)
  for (const each of [file, `${file}.keys.csv`]) rmSync(each)
}

const times = new Map<string, number[]>()
for (let run = 0; run < RUNS; run++) {
  for (const name of ['bulk requests', ...Object.keys(formats)]) {
    const codes = newCodes()
    const began = performance.now()
    if (name === 'bulk requests') await byBulk(codes)
    else byImport(name, codes)
    times.set(name, [...(times.get(name) ?? []), performance.now() - began])
  }
}
await quirl.stop()
const baseline = median(times.get('bulk requests') ?? [])
printTable(
  `${LINKS.toLocaleString('en')} links, ${RUNS} alternating runs, medians; an import with the start of the command`,
  [...times].map(([what, all]) => ({
    what,
    seconds: (median(all) / 1000).toFixed(2),
    'links/s': String(Math.round(LINKS / (median(all) / 1000))),
    ratio: (baseline / median(all)).toFixed(2),
  })),
)
