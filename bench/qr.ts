// Claims: a PNG of any size takes a few milliseconds at most, and a file of few kilobytes.
// Baselines: `qrcode` 1.5, and the same rows through zlib with all of its search, whatever the size. Then images per second through
// the server on one core.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import QRCode from 'qrcode'
import { createEncoder } from '../src/qr/encoder/encoder.ts'
import { renderPng, paintRows } from '../src/qr/png/png.ts'
import { rasterOf } from '../src/qr/raster.ts'
import { renderSvg } from '../src/qr/svg.ts'
import { median, printTable, serveQuirl, temporaryFolder, wrk } from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 5)
const SIZES = [256, 512, 1024, 2048, 4096]
const SERVED = [512, 1024, 4096]

const data = 'https://quirl.example/menu/summer-2026/table-12?utm_source=flyer'.slice(0, 60)
const paint = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const
const encode = createEncoder()

function encoded() {
  const symbol = encode(Buffer.from(data), { level: 'M' })
  if (symbol === undefined) throw new Error('unreachable')
  return symbol
}

function quirlPng(size: number): Buffer {
  const symbol = encoded()
  return renderPng(symbol, rasterOf(symbol.size, { size, margin: 4 }), paint)
}

/** All rows deflated with zlib's search. */
function searchedPng(size: number): Buffer {
  const symbol = encoded()
  return deflateSync(paintRows(symbol, rasterOf(symbol.size, { size, margin: 4 })), { level: 6 })
}

function quirlSvg(): string {
  const symbol = encoded()
  return renderSvg(symbol, rasterOf(symbol.size, { size: 512, margin: 4 }), paint, data)
}

interface Work {
  by: string
  draw: () => Uint8Array | string | Promise<Uint8Array | string>
}

/** Milliseconds per call, as the mean over so many milliseconds of calls. */
async function time({ draw }: Work, milliseconds: number): Promise<number> {
  const began = performance.now()
  let calls = 0
  for (; performance.now() < began + milliseconds; calls++) await draw()
  return (performance.now() - began) / calls
}

const rows: Record<string, string | number>[] = []

/** Alternates between the works, so that disturbances affect all. The first one is the baseline. */
async function compare(image: string, works: Work[]): Promise<void> {
  const rounds: number[][] = works.map(() => [])
  // Warms up the compiler.
  for (const work of works) await time(work, 300)
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, work] of works.entries()) rounds[at]?.push(await time(work, 100))
  const medians = rounds.map(median)
  for (const [at, { by, draw }] of works.entries()) {
    const ms = medians[at] ?? 0
    const ratio = Math.round(((medians[0] ?? 0) / ms) * 10) / 10
    rows.push({ image, by, ms: ms.toFixed(3), bytes: (await draw()).length, ratio })
  }
}

for (const size of SIZES) {
  const options = { width: size, errorCorrectionLevel: 'M' } as const
  await compare(`PNG ${size}`, [
    { by: 'qrcode', draw: () => QRCode.toBuffer(data, options) },
    { by: 'zlib with all of its search', draw: () => searchedPng(size) },
    { by: 'quirl', draw: () => quirlPng(size) },
  ])
}
await compare('SVG', [
  { by: 'qrcode', draw: () => QRCode.toString(data, { type: 'svg', width: 512, errorCorrectionLevel: 'M' }) },
  { by: 'quirl', draw: quirlSvg },
])
printTable(`One image of ${data.length} characters at level M, encoding included; ratio to qrcode`, rows)

const folder = temporaryFolder()
const quirl = await serveQuirl(join(folder, 'data'))
try {
  const served = SERVED.map((size) => {
    // A different image each time, so that none comes from the cache.
    const script = join(folder, `${size}.lua`)
    const path = `/api/qr?size=${size}&data=https://quirl.example/menu/summer-2026/table-`
    writeFileSync(script, `local n = 0; request = function() n = n + 1; return wrk.format("GET", "${path}" .. n) end`)
    const { requestsPerSecond, p99Milliseconds } = wrk(quirl.url, SECONDS, script)
    return { image: `PNG ${size}`, 'images/s': Math.round(requestsPerSecond), 'p99 ms': p99Milliseconds.toFixed(1) }
  })
  printTable('GET /api/qr through the server on one core, 64 connections, all images different', served)
} finally {
  await quirl.stop()
}
