import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from './support/fast-check.ts'
import { Problem } from '../src/http/problem.ts'
import type { DesignJob } from '../src/qr/design/job.ts'
import { eyeShapes } from '../src/qr/design/eyes.ts'
import { moduleShapes } from '../src/qr/design/shapes.ts'
import { createRenderPool } from '../src/qr/pool/pool.ts'
import { isWhole, seed } from './support/corpus.ts'
import { dataUri, pngFile, svgLogo } from './support/logos.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { decoderNames, missedIn, type Picture } from './support/three-decoders.ts'

const RUNS = isWhole ? 400 : 30

const color = (least: number, most: number) =>
  fc
    .tuple(...[0, 1, 2].map(() => fc.integer({ min: least, max: most })))
    .map((channels) => `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`)
const dark = color(0, 120)
const svg = (inner: string) =>
  dataUri('svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${inner}</svg>`)

/** Designs of all choices, dark on light, because others are graded poor anyway. */
const designs = fc.record(
  {
    shape: fc.constantFrom(...moduleShapes),
    eye_frame: fc.constantFrom(...eyeShapes),
    eye_ball: fc.constantFrom(...eyeShapes),
    fg: dark,
    gradient: fc.record({
      type: fc.constantFrom('linear' as const, 'radial' as const),
      from: dark,
      to: dark,
      angle: fc.integer({ min: 0, max: 359 }),
    }),
    bg: fc.oneof(color(190, 255), fc.constant('transparent')),
    eye_frame_color: dark,
    eye_ball_color: dark,
    logo: fc.record({
      image: fc.constantFrom(
        svgLogo,
        dataUri('png', pngFile(40, 20)),
        svg('<path d="M0 0h8v8h-8z"/>'),
        svg('<path d="M0 0h8v2h-8zM0 4h8v2h-8z"/>'),
      ),
      size: fc.double({ min: 0.08, max: 0.28, noNaN: true }),
      knockout: fc.boolean(),
    }),
    frame: fc.record({
      text: fc.constantFrom('Scan me', 'MENÜ'),
      position: fc.constantFrom('top' as const, 'bottom' as const),
      shape: fc.constantFrom('rounded' as const, 'square' as const),
    }),
    margin: fc.integer({ min: 0, max: 6 }),
  },
  { requiredKeys: [] },
)

const jobs = fc.record({
  design: designs,
  size: fc.integer({ min: 120, max: 1000 }),
  length: fc.integer({ min: 12, max: 160 }),
})

test(`three decoders read every design that is graded good or excellent, of ${RUNS} random ones`, async (t) => {
  if (!requireProgram(t, 'zbarimg', 'zbar-tools')) return
  if (!requireProgram(t, 'ZXingReader', 'zxing-cpp-tools')) return
  t.diagnostic(`SEED=${seed}`)
  const pool = createRenderPool({ timeout: PATIENCE_MS })
  t.after(pool.close)
  const grades: Record<string, number> = {}
  async function* readable(): AsyncGenerator<Picture> {
    for (const { design, size, length } of fc.sample(jobs, { numRuns: RUNS, seed })) {
      const text = `https://q.example/${JSON.stringify(design).length}/`.padEnd(length, 'abcdefghij-')
      const job: DesignJob = { text, design, at: '', format: 'png', size }
      const image = await pool.render(job).catch((error: unknown) => {
        if (error instanceof Problem && error.status === 400) return undefined
        throw error
      })
      const grade = image?.scannability ?? 'refused'
      grades[grade] = (grades[grade] ?? 0) + 1
      if (image === undefined || (grade !== 'good' && grade !== 'excellent')) continue
      yield { name: JSON.stringify(job), text, file: Buffer.from(image.body) }
    }
  }
  const { missed, total } = await missedIn(readable(), decoderNames)
  t.diagnostic(JSON.stringify(grades))
  assert.deepEqual(missed, [])
  assert.ok(total >= RUNS / 5, `${total} were graded good or excellent`)
})
