// QR codes beside `qrcode` in Node and `qr-code-styling` in Chromium, each image of another text. quirl's designed images are read by
// a decoder before they are returned, which the others do not do.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import QRCode from 'qrcode'
import { createEncodeText } from '../../src/qr/matrix.ts'
import { readAppearance } from '../../src/qr/options.ts'
import { drawPlain } from '../../src/qr/plain.ts'
import { createRenderPool } from '../../src/qr/pool/pool.ts'
import { launchChromium } from '../../test/support/browser.ts'
import { median, printTable } from '../support.ts'
import { describeMachine } from './machine.ts'

const IMAGES = Number(process.env['IMAGES'] ?? 60)
const SIZE = 512
const ROUNDS = 5
const textOf = (at: number) => `https://quirl.example/menu/summer-2026/table-${String(at).padStart(4, '0')}`

/** Milliseconds for each of so many images. */
type Draw = (from: number, count: number) => Promise<number>

function timed(draw: (text: string) => unknown): Draw {
  return async (from, count) => {
    const began = performance.now()
    for (let at = from; at < from + count; at++) await draw(textOf(at))
    return (performance.now() - began) / count
  }
}

const browser = await launchChromium()
const page = await browser.newPage()
await page.addScriptTag({ content: readFileSync(fileURLToPath(import.meta.resolve('qr-code-styling')), 'utf8') })
/** What a page does to have the bytes of an image. */
const styled = (type: string, format: string): Draw => {
  const texts = (from: number, count: number) => Array.from({ length: count }, (_, at) => textOf(from + at))
  return (from, count) =>
    page.evaluate(
      async ([all, shape, extension, size]) => {
        const { QRCodeStyling } = globalThis as unknown as { QRCodeStyling: new (options: object) => Styled }
        const began = performance.now()
        for (const data of all) {
          const options = { width: size, height: size, type: extension === 'svg' ? 'svg' : 'canvas', data }
          const appearance = { dotsOptions: { type: shape }, qrOptions: { errorCorrectionLevel: 'M' } }
          await new QRCodeStyling({ ...options, ...appearance }).getRawData(extension)
        }
        return (performance.now() - began) / all.length
      },
      [texts(from, count), type, format, SIZE] as const,
    )
}
interface Styled {
  getRawData: (extension: string) => Promise<Blob>
}

const encode = createEncodeText()
const pool = createRenderPool()
const plain = (format: 'png' | 'svg') => {
  const appearance = readAppearance({ size: SIZE }, format)
  return timed((text) => drawPlain(encode, { text, appearance, options: { level: 'M' } }))
}
const designed = (format: 'png' | 'svg') =>
  timed((text) => pool.render({ text, design: { shape: 'dots' }, at: '', format, size: SIZE }))

const images: Record<string, Record<string, Draw>> = {
  'plain PNG': {
    qrcode: timed((text) => QRCode.toBuffer(text, { width: SIZE, errorCorrectionLevel: 'M' })),
    'qr-code-styling, in Chromium': styled('square', 'png'),
    quirl: plain('png'),
  },
  'plain SVG': {
    qrcode: timed((text) => QRCode.toString(text, { type: 'svg', width: SIZE, errorCorrectionLevel: 'M' })),
    'qr-code-styling, in Chromium': styled('square', 'svg'),
    quirl: plain('svg'),
  },
  'PNG of dots': {
    'qr-code-styling, in Chromium': styled('dots', 'png'),
    'quirl, read by a decoder': designed('png'),
  },
  'SVG of dots': {
    'qr-code-styling, in Chromium': styled('dots', 'svg'),
    'quirl, read by a decoder': designed('svg'),
  },
}

let next = 0

/** Medians by name, in milliseconds for each image. The first round warms the compilers up. */
async function compare(by: Record<string, Draw>): Promise<[name: string, ms: number][]> {
  const rounds = Object.entries(by).map(([name, draw]) => ({ name, draw, all: [] as number[] }))
  for (let round = 0; round <= ROUNDS; round++)
    for (const { draw, all } of rounds) all.push(await draw((next += IMAGES), IMAGES))
  return rounds.map(({ name, all }) => [name, median(all.slice(1))])
}

const rows: Record<string, string | number>[] = []
for (const [image, by] of Object.entries(images)) {
  const medians = await compare(by)
  const [[, baseline] = ['', Number.NaN]] = medians
  for (const [name, ms] of medians)
    rows.push({ image, by: name, 'ms each': ms.toFixed(2), 'times as fast': (baseline / ms).toFixed(1) })
}
await Promise.all([browser.close(), pool.close()])
console.log(describeMachine())
printTable(
  `One image of ${textOf(0).length} characters, ${SIZE} pixels, level M; the first of each group is the baseline`,
  rows,
)
