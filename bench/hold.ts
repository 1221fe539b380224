// Claim: drawing an image never blocks the event loop for more than 10 ms, whatever the request, not even the first after
// the start. Baselines: the same server idle, and with visits.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { probeEnvironment, readHolds } from '../test/support/holds.ts'
import { dataUri, pngFile } from '../test/support/logos.ts'
import { create } from '../test/support/server.ts'
import { printTable, serveQuirl, temporaryFolder, type Served } from './support.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 4)

const folder = temporaryFolder()
const probe = probeEnvironment(folder)
Object.assign(process.env, probe)

/** Sends one request after the other, so that an iteration of the loop has at most one image to draw. */
async function sendRequests(quirl: Served, request: (count: number) => [path: string, body?: object]): Promise<number> {
  let count = 0
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; count++) {
    const [path, body] = request(count)
    const response = await fetch(quirl.url + path, {
      redirect: 'manual',
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    if (response.status >= 400) throw new Error(`${path} returned ${response.status}`)
  }
  return count
}

/** A different image each time. */
const text = (length: number, count: number) => `${count}/https://quirl.example/tïsch-`.repeat(100).slice(0, length)
const plain = (length: (count: number) => number, format: string) => (count: number) =>
  [`/api/qr?format=${format}&size=4096&data=${encodeURIComponent(text(length(count), count))}`] as [string]
const logo = { image: dataUri('png', pngFile(2000, 2000)), size: 0.15 }

const rows: Record<string, string | number>[] = []
async function measure(what: string, request?: (count: number) => [path: string, body?: object]): Promise<void> {
  const quirl = await serveQuirl(join(folder, String(rows.length)))
  try {
    const { code } = await create(quirl, { target: 'https://example.com/menu' })
    await readHolds(quirl.process, probe.HOLD_FILE)
    const requests =
      request === undefined ? 0 : await sendRequests(quirl, what === VISITS ? () => [`/${code}`] : request)
    if (request === undefined) await sleep(SECONDS * 1000)
    const { most, longest } = await readHolds(quirl.process, probe.HOLD_FILE)
    const idle = Number(rows[0]?.['longest ms'] ?? longest)
    rows.push({
      what,
      requests,
      '99.9 % ms': most.toFixed(1),
      'longest ms': longest.toFixed(1),
      ratio: (longest / idle).toFixed(1),
    })
  } finally {
    await quirl.stop()
  }
}

const VISITS = 'visits'
await measure('idle')
await measure(VISITS, () => [''])
await measure(
  'PNG, up to 300 characters',
  plain((count) => 300 - (count % 290), 'png'),
)
await measure(
  'SVG, up to 300 characters',
  plain((count) => 300 - (count % 290), 'svg'),
)
await measure(
  'PNG, up to 2,000 characters',
  plain((count) => 2000 - (count % 1700), 'png'),
)
await measure('a design at 4096 px with a logo of 2000 px', (count) => [
  '/api/qr',
  { data: text(60, count), size: 4096, design: { shape: 'rounded', logo } },
])
await measure('a design as PDF with a frame', (count) => [
  '/api/qr',
  { data: text(60, count), format: 'pdf', design: { shape: 'dots', frame: { text: 'Scan me' } } },
])
printTable(`How long the event loop was blocked, ${SECONDS} s each after a new start`, rows)
