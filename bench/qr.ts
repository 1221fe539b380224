// Claims: a PNG costs what its modules cost and not what its pixels do, and files are as small as the slow way makes them.
// Baselines: `qrcode` 1.5, and the same rows through zlib. Then images a second through the server on one core.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import QRCode from 'qrcode'
import { createEncoder } from '../src/qr/encoder/encoder.ts'
import { renderPng } from '../src/qr/png/png.ts'
import { paintRows } from '../src/qr/png/rows.ts'
import { rasterOf } from '../src/qr/raster.ts'
import { renderSvg } from '../src/qr/svg.ts'
import { median, printTable, serveQuirl, temporaryFolder, wrk } from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 5)
const SIZES = [512, 1024, 4096]

const data = 'https://quirl.example/menu/summer-2026/table-12?utm_source=flyer'.slice(0, 60)
const paint = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const
const encode = createEncoder()

function encoded() {
  const symbol = encode(Buffer.from(data), { level: 'M' })
  if (symbol === undefined) throw new Error('unreachable')
  return symbol
}

function ourPng(size: number): Buffer {
  const symbol = encoded()
  return renderPng(symbol, rasterOf(symbol.size, { size, margin: 4 }), paint)
}

/** The whole image painted and packed. */
function paintedPng(size: number): Buffer {
  const symbol = encoded()
  return deflateSync(paintRows(symbol, rasterOf(symbol.size, { size, margin: 4 })), { level: 6 })
}

function ourSvg(): string {
  const symbol = encoded()
  return renderSvg(symbol, rasterOf(symbol.size, { size: 512, margin: 4 }), paint, data)
}

/** Median milliseconds of one call, over rounds of as many calls as take a tenth of a second. */
async function time(work: () => unknown): Promise<number> {
  // Until the compiler has seen enough of it.
  for (const end = performance.now() + 300; performance.now() < end;) await work()
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    let calls = 0
    for (; performance.now() < began + 100; calls++) await work()
    rounds.push((performance.now() - began) / calls)
  }
  return median(rounds)
}

const rows: Record<string, string | number>[] = []
function add(
  image: string,
  by: string,
  { ms, bytes, baseline }: { ms: number; bytes: number; baseline: number },
): void {
  rows.push({ image, by, ms: ms.toFixed(3), bytes, ratio: Math.round((baseline / ms) * 10) / 10 })
}

for (const size of SIZES) {
  const options = { width: size, errorCorrectionLevel: 'M' } as const
  const theirs = await time(() => QRCode.toBuffer(data, options))
  add(`PNG ${size}`, 'qrcode', { ms: theirs, bytes: (await QRCode.toBuffer(data, options)).length, baseline: theirs })
  add(`PNG ${size}`, 'rows through zlib', {
    ms: await time(() => paintedPng(size)),
    bytes: paintedPng(size).length,
    baseline: theirs,
  })
  add(`PNG ${size}`, 'quirl', { ms: await time(() => ourPng(size)), bytes: ourPng(size).length, baseline: theirs })
}
const theirSvg = () => QRCode.toString(data, { type: 'svg', width: 512, errorCorrectionLevel: 'M' })
const theirs = await time(theirSvg)
add('SVG', 'qrcode', { ms: theirs, bytes: (await theirSvg()).length, baseline: theirs })
add('SVG', 'quirl', { ms: await time(ourSvg), bytes: ourSvg().length, baseline: theirs })
printTable(`One image of ${data.length} characters at level M, encoding included; ratio to qrcode`, rows)

const folder = temporaryFolder()
const quirl = await serveQuirl(join(folder, 'data'))
try {
  const served = SIZES.map((size) => {
    // Each image is another one, so that none comes from the cache.
    const script = join(folder, `${size}.lua`)
    const path = `/api/qr?size=${size}&data=https://quirl.example/menu/summer-2026/table-`
    writeFileSync(script, `local n = 0; request = function() n = n + 1; return wrk.format("GET", "${path}" .. n) end`)
    const { requestsPerSecond, p99Milliseconds } = wrk(quirl.url, SECONDS, script)
    return { image: `PNG ${size}`, 'a second': Math.round(requestsPerSecond), 'p99 ms': p99Milliseconds.toFixed(1) }
  })
  printTable('GET /api/qr through the server on one core, 64 connections, no image twice', served)
} finally {
  await quirl.stop()
}
