import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAppearance } from '../options.ts'
import { createCosts } from './costs.ts'
import type { RenderJob } from './job.ts'

const plain = (size: number): RenderJob => ({
  text: 'https://example.com/',
  appearance: readAppearance({ size }, 'png'),
  options: { level: 'M' },
})
const design = (size: number, format: 'png' | 'svg' = 'png'): RenderJob => ({
  text: 'https://example.com/',
  design: { shape: 'dots' },
  at: '/design',
  format,
  size,
})

test('before anything is drawn, larger images cost more, designs more than plain ones, and a vector no more than a small one', () => {
  const costs = createCosts()
  const ordered = [plain(512), plain(4096), design(512), design(4096)].map(costs.of)
  assert.deepEqual(
    ordered,
    ordered.toSorted((a, b) => a - b),
  )
  assert.ok(300 * costs.of(plain(512)) < 2000, 'a burst of plain images fits into the bound')
  assert.ok(costs.of(design(4096, 'svg')) < costs.of(design(512)))
})

test('a drawn logo costs more than the pixels of its image, and a photo does not', () => {
  const { of } = createCosts()
  const logoOf = (type: string) => ({ image: `data:image/${type};base64,${'A'.repeat(100_000)}` })
  const [drawn, photo] = ['svg+xml', 'png'].map((type) => ({ ...design(512), design: { logo: logoOf(type) } }))
  assert.ok(drawn && of(drawn) > of(design(2048)))
  assert.equal(photo && of(photo), of(design(512)))
})

test('the cost follows what images of the same kind have taken on this machine', () => {
  const costs = createCosts()
  const [plainBefore, designBefore] = [costs.of(plain(512)), costs.of(design(512))]
  for (let at = 0; at < 50; at++) costs.onDrawn(design(2048), 3 * createCosts().of(design(2048)))
  assert.ok(Math.abs(costs.of(design(512)) / designBefore - 3) < 0.1)
  assert.equal(costs.of(plain(512)), plainBefore)
})

test('one image that took very long changes the cost of others little', () => {
  const costs = createCosts()
  const before = costs.of(plain(512))
  costs.onDrawn(plain(512), 1_000_000)
  assert.ok(costs.of(plain(512)) < 2 * before)
})

test('nearly all that a sheet costs is in its parts', () => {
  const { of } = createCosts()
  const code = { text: 'quirl', design: undefined, caption: '', address: '', name: '' }
  const onto = { kind: 'pages', paper: 'a6' } as const
  const part = of({ part: Array.from({ length: 25 }, () => code), designs: new Map(), onto, style: 'plain' })
  const whole = of({ parts: [], count: 1000, logos: [], onto })
  assert.ok(whole < (40 * part) / 5, `${whole} ms after 40 parts of ${part} ms`)
})
