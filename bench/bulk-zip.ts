// Claim: an archive of 500 designed codes takes less than 20 s on two cores, and its memory does not grow with the number of codes.
import { readFileSync, writeFileSync } from 'node:fs'
import { median, printTable, serveQuirlOn, temporaryFolder } from './support.ts'
import { post } from '../test/support/server.ts'

const RUNS = Number(process.env['RUNS'] ?? 3)
const ROWS = 500

const quirl = await serveQuirlOn('0,1', temporaryFolder())
const { pid } = quirl.process

const design = { shape: 'rounded', eye_frame: 'rounded', fg: '#0b5a3c', frame: { text: 'Scan me' } }
const plainRows = Array.from({ length: ROWS }, (_, at) => ({
  target: `https://example.com/menu/${at}`,
  title: `Table ${at}`,
}))
const designedRows = plainRows.map((row) => ({ ...row, design }))

/** The most memory that the server had since this was called before, in MiB. */
function peakMemory(): number {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return Number(peak) / 1024
}

interface Run {
  ms: number
  bytes: number
  peak: number
}

/** Reads an archive as it comes, without keeping it. */
async function archive(query: string, rows: object[]): Promise<Run> {
  peakMemory()
  const began = performance.now()
  const response = await post(`${quirl.url}/api/bulk?qr=zip&${query}`, rows)
  if (response.status !== 201 || response.body === null) throw new Error(`${query} returned ${response.status}`)
  let bytes = 0
  for await (const part of response.body) bytes += (part as Uint8Array).length
  return { ms: performance.now() - began, bytes, peak: peakMemory() }
}

const ways: Record<string, () => Promise<Run>> = {
  'plain SVG': () => archive('', plainRows),
  'plain PNG, 512 px': () => archive('format=png', plainRows),
  'plain PNG, 1,024 px': () => archive('format=png&size=1024', plainRows),
  'plain PDF': () => archive('format=pdf', plainRows),
  'designed SVG': () => archive('', designedRows),
  'designed PNG, 512 px': () => archive('format=png', designedRows),
  'designed PNG, 512 px, 50 codes': () => archive('format=png', designedRows.slice(0, 50)),
  'designed PNG, 1,024 px': () => archive('format=png&size=1024', designedRows),
  'designed PDF': () => archive('format=pdf', designedRows),
}

const runs = new Map<string, Run[]>(Object.keys(ways).map((name) => [name, []]))
for (let run = 0; run < RUNS; run++) {
  for (const [name, way] of Object.entries(ways)) runs.get(name)?.push(await way())
}
const times = [...runs.values()].map((all) => median(all.map(({ ms }) => ms)))
const [baseline = Number.NaN] = times
printTable(
  `An archive of ${ROWS} new links, ${RUNS} alternating runs, medians`,
  [...runs].map(([name, all], at) => ({
    images: name,
    s: ((times[at] ?? Number.NaN) / 1000).toFixed(2),
    'least s': (Math.min(...all.map(({ ms }) => ms)) / 1000).toFixed(2),
    'times plain SVG': ((times[at] ?? Number.NaN) / baseline).toFixed(1),
    MiB: (median(all.map(({ bytes }) => bytes)) / 2 ** 20).toFixed(1),
    'peak memory of the server, MiB': Math.max(...all.map(({ peak }) => peak)).toFixed(0),
  })),
)
await quirl.stop()
