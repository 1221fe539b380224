// Claims: with 1,000,000 links the service answers within a second of its start, and after 1,000,000 visits all over them
// it has stayed under 250 MiB.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../src/db/open.ts'
import { printTable, serveQuirl, temporaryFolder, wrk, type Served } from './support.ts'

const LINKS = 1_000_000
const VISITS = 1_000_000

const dataDir = temporaryFolder()
await (await openDatabase(dataDir, Date.now)).close()
const db = new DatabaseSync(join(dataDir, 'links.db'))
db.exec(`
  pragma synchronous = off;
  begin;
  with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${LINKS})
    insert into codes select printf('c%06d', i) from n;
  insert into links (code_key, code, token_hash, kind, target, payload, title, utm, active, revision, created_at, updated_at)
    select code_key, code_key, hex(randomblob(21)), 'url', 'https://example.com/some/path/of/a/shop/' || code_key,
      '{}', 'A title', '{"utm_source":"flyer"}', 1, 1, 0, 0 from codes;
  commit;
  pragma wal_checkpoint(truncate)`)
db.close()

/** A wrk script that visits random links. */
function visitScript(method: string): string {
  const file = join(dataDir, `${method}.lua`)
  const path = `string.format("/c%06d?qr=1", math.random(0, ${LINKS - 1}))`
  writeFileSync(file, `math.randomseed(42)\nrequest = function() return wrk.format("${method}", ${path}) end`)
  return file
}

/** Starts quirl, and how long it took until a visit was answered (milliseconds). */
async function start(): Promise<{ quirl: Served; milliseconds: number }> {
  const began = performance.now()
  const quirl = await serveQuirl(dataDir)
  const { status } = await fetch(`${quirl.url}/c000042`, { redirect: 'manual' })
  if (status !== 302) throw new Error(`the first visit answered ${status}`)
  return { quirl, milliseconds: performance.now() - began }
}

// What nothing has read yet, the program's own files too, is read from the disk; what it keeps of scans is made.
const first = await start()
await first.quirl.stop()
const { quirl, milliseconds } = await start()

const memory = (name: 'VmRSS' | 'VmHWM') => {
  const status = readFileSync(`/proc/${quirl.process.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
}
const rows = [
  { what: 'first start to first answer', value: `${Math.round(first.milliseconds)} ms`, bound: '1000 ms' },
  { what: 'next start to first answer', value: `${Math.round(milliseconds)} ms`, bound: '1000 ms' },
  { what: 'resident after the start', value: `${memory('VmRSS')} MiB`, bound: '' },
]
for (const [method, what] of [
  ['HEAD', 'not recorded'],
  ['GET', 'recorded'],
] as const) {
  const script = visitScript(method)
  let visits = 0
  let rate = 0
  while (visits < VISITS) {
    const load = wrk(quirl.url, 10, script)
    visits += load.requests
    rate = load.requestsPerSecond
  }
  const name = `${visits.toLocaleString('en')} visits, ${what}`
  rows.push(
    { what: `resident after ${name}`, value: `${memory('VmRSS')} MiB`, bound: '250 MiB' },
    { what: 'highest until then', value: `${memory('VmHWM')} MiB`, bound: '250 MiB' },
    { what: `visits a second, ${what}, mostly not in the cache`, value: String(Math.round(rate)), bound: '' },
  )
}
await quirl.stop()
printTable(`${LINKS.toLocaleString('en')} links, visits of random ones`, rows)
