// What it costs to check a design on 500 codes of links: one by one, as when one is saved, and in jobs, as for rows of a request.
import { checkCodes } from '../src/qr/pool/check.ts'
import { renderDesign } from '../src/qr/pool/render.ts'
import { openTools } from '../src/qr/pool/tools.ts'
import type { Design } from '../src/qr/design/schema.ts'

const CODES = 500
const OF_JOB = 25
/** Single checks that are measured, of which so many would be needed. */
const SINGLE = 20
const ROUNDS = 3

const curves = Array.from(
  { length: 700 },
  (_, at) => `<path d="M${at % 90} ${at % 77}c1 2 3 4 5 6z" fill="#${(0x100 + ((at * 977) % 0xe00)).toString(16)}"/>`,
)
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${curves.join('')}</svg>`
const rich = {
  shape: 'dots',
  eye_frame: 'rounded',
  gradient: { type: 'linear', from: '#123456', to: '#654321' },
  frame: { text: 'Scan me' },
} satisfies Design
const designs: Record<string, Design> = {
  'a colour': { fg: '#123456' },
  'dots, a gradient, a frame': rich,
  'the same with a logo': {
    ...rich,
    logo: { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` },
  },
}

const tools = await openTools()
const textOf = (at: number) => `https://qr.example.com/${(1e9 + at * 7919).toString(36).slice(0, 7)}?qr=1`

/** @returns milliseconds of the fastest round */
async function fastest(run: (from: number) => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await run(round * CODES)
    least = Math.min(least, performance.now() - begun)
  }
  return least
}

for (const [name, design] of Object.entries(designs)) {
  const single = await fastest(async (from) => {
    for (let at = from; at < from + SINGLE; at++)
      await renderDesign({ text: textOf(at), design, at: '/design', format: 'svg', size: 1024 }, tools)
  })
  const inJobs = await fastest(async (from) => {
    for (let at = from; at < from + CODES; at += OF_JOB) {
      const texts = Array.from({ length: OF_JOB }, (_, more) => textOf(at + more))
      await checkCodes({ texts, design, at: '/design' }, tools)
    }
  })
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  console.log(`${CODES} codes, ${name}: ${seconds((single * CODES) / SINGLE)} one by one, ${seconds(inJobs)} in jobs`)
}
