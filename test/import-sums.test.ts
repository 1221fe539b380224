import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Report } from '../src/cli/import/report.ts'
import { writeRecords } from '../src/lib/csv.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { fc } from './support/fast-check.ts'
import { create, startServer, type TestServer } from './support/server.ts'

/** A link of a file, whatever its format. */
interface Row {
  code: string
  target: string
  clicks: number
  /** Whether it has a password or an end, where the format can say so. */
  isClosed: boolean
  /** Visits that name it, and visits with the same code elsewhere. */
  visits: number
  strays: number
}

const row = fc.record<Row>({
  // Some are equal in any case; some are taken, reserved, of several parts or no codes.
  code: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'A', 'bc', 'Bc', 'd-e_f', '7', 'x', 'y', 'z') },
    fc.constantFrom('taken', 'api', 'p/q', 'with.dot'),
  ),
  target: fc.oneof(
    { weight: 5, arbitrary: fc.constant('https://a.example/') },
    fc.constantFrom('ftp://a.example/', 'nothing'),
  ),
  clicks: fc.nat(5000),
  isClosed: fc.boolean(),
  visits: fc.nat(6),
  strays: fc.nat(2),
})

const table = (header: string, rows: (string | number)[][]) =>
  writeRecords([header.split(','), ...rows.map((cells) => cells.map(String))])

const shlinkLink = ({ code, target, clicks, isClosed }: Row) => ({
  shortCode: code,
  shortUrl: `https://s.example/${code}`,
  longUrl: target,
  visitsSummary: { total: clicks },
  meta: { maxVisits: isClosed ? 5 : null },
})

/** A file of each format. */
const writers: Record<string, (rows: Row[]) => string> = {
  yourls: (rows) =>
    table(
      'keyword,url,clicks',
      rows.map(({ code, target, clicks }) => [code, target, clicks]),
    ),
  shlink: (rows) => JSON.stringify({ shortUrls: { data: rows.map(shlinkLink) } }),
  kutt: (rows) =>
    JSON.stringify({
      data: rows.map(({ code, target, clicks, isClosed }) => {
        return { address: code, target, visit_count: clicks, password: isClosed }
      }),
    }),
  dub: (rows) =>
    JSON.stringify(
      rows.map(({ code, target, clicks, isClosed }) => {
        return { key: code, url: target, clicks, expiresAt: isClosed ? '2024-01-01T00:00:00Z' : null }
      }),
    ),
  bitly: (rows) =>
    table(
      'Bitlink,Long URL,Clicks',
      rows.map(({ code, target, clicks }) => [`bit.ly/${code}`, target, clicks]),
    ),
  csv: (rows) =>
    table(
      'code,target,clicks',
      rows.map(({ code, target, clicks }) => [code, target, clicks]),
    ),
}

/** The list of all visits. The first link of a code has those of its address. */
function visitsOf(rows: Row[]): string {
  const visit = (visitedUrl: string) => ({ date: '2026-01-02T03:04:05Z', userAgent: '', referer: '', visitedUrl })
  const data = rows.flatMap(({ code, visits, strays }) => [
    ...Array.from({ length: visits }, () => visit(`https://s.example/${code}`)),
    ...Array.from({ length: strays }, () => visit(`https://other.example/${code}`)),
  ])
  return JSON.stringify({ visits: { data } })
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** What the links of a file of keys have counted, by their codes. */
async function countedBy({ url }: TestServer, file: string): Promise<Map<string, number>> {
  const keys = parse<{ code: string; token: string }>(readFileSync(`${file}.keys.csv`), { columns: true })
  const counted = await Promise.all(
    keys.map(async ({ token }) => {
      const link = (await (await fetch(`${url}/api/manage/${token}`)).json()) as {
        code: string
        totals: { scans: number }
      }
      return [link.code, link.totals.scans] as const
    }),
  )
  return new Map(counted)
}

/** The codes of every run are its own, but for those that no run can have. */
function ownCodes(rows: Row[], run: number): Row[] {
  return rows.map((each) => (/^(?:taken|api)$/.test(each.code) ? each : { ...each, code: `${each.code}-${run}` }))
}

test('of any file, each code, each click and each visit is in the report once, and counted as it says', async (t) => {
  const server = await startServer(t)
  await create(server, { target: 'https://example.com/', alias: 'taken' })
  const folder = temporaryFolder(t)
  let runs = 0

  async function check(from: string, generated: Row[], hasVisits: boolean): Promise<void> {
    const rows = ownCodes(generated, ++runs)
    const file = join(folder, `${from}-${runs}`)
    writeFileSync(file, (writers[from] as (rows: Row[]) => string)(rows))
    writeFileSync(`${file}-visits.json`, visitsOf(rows))
    const args = ['import', file, `--from=${from}`, '--json', ...(hasVisits ? [`--visits=${file}-visits.json`] : [])]
    const { stdout, stderr } = await command(server.dataDir, ...args)
    assert.equal(stderr, '')
    const report = JSON.parse(stdout) as Report
    const { created, present, clicks, visits, refused } = report
    assert.deepEqual([created + present + refused.length, present], [rows.length, 0])

    const first = from === 'bitly' || from === 'csv' || from === 'yourls' ? 2 : 1
    const isLost = new Set(refused.map(({ place }) => Number(place.split(' ')[1]) - first))
    const taken = rows.filter((_, at) => !isLost.has(at))
    assert.equal(taken.length, created)
    const counted = await countedBy(server, file)
    assert.deepEqual(new Set(counted.keys()), new Set(taken.map(({ code }) => code)))
    // Visits of a short URL that the file names twice are those of its first link, even if that one is refused.
    const visited = (owner: Row) => {
      const namesakes = rows.filter(({ code }) => code === owner.code)
      return namesakes[0] === owner ? sum(namesakes.map((each) => each.visits)) : 0
    }
    for (const each of taken)
      assert.equal(counted.get(each.code), Math.max(each.clicks, hasVisits ? visited(each) : 0), each.code)
    assert.equal(sum([...counted.values()]), clicks + (visits?.scans ?? 0))
    if (!hasVisits) return assert.equal(clicks, sum(taken.map((each) => each.clicks)))
    assert.equal(visits?.read, sum(rows.map((each) => each.visits + each.strays)))
    assert.equal(visits.read, visits.scans + sum(visits.lost.map((each) => each.visits)))

    const again = await command(server.dataDir, ...args)
    assert.deepEqual(JSON.parse(again.stdout), { ...report, created: 0, present: created })
    assert.deepEqual(await countedBy(server, file), counted)
  }

  const rows = fc.array(row, { minLength: 1, maxLength: 12 })
  const formats = fc.constantFrom(...Object.keys(writers).map((from) => ({ from, hasVisits: false })))
  const format = fc.oneof({ weight: 2, arbitrary: formats }, fc.constant({ from: 'shlink', hasVisits: true }))
  await fc.assert(
    fc.asyncProperty(format, rows, ({ from, hasVisits }, generated) => check(from, generated, hasVisits)),
    { numRuns: 60 },
  )
})
