import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import { rasterizer } from '../../../test/support/rasterizer.ts'
import type { Design } from '../design/schema.ts'
import { encodeWithLogo } from '../design/logo-placement.ts'
import { composeScene, type Scene } from '../design/scene.ts'
import { encodeImage } from '../design/scene-pdf.ts'
import { logoAlone, sceneToSvg } from '../design/scene-svg.ts'
import { readStyle } from '../design/style.ts'
import { createEncodeText } from '../matrix.ts'
import { openSupplies } from './tools.ts'

const tools = { encode: createEncodeText(), ...openSupplies() }

function sceneOf(design: Design, size: number): Scene {
  const text = 'https://example.com/menu/summer?table=12'
  const style = readStyle(design, '/design', tools)
  const marked = encodeWithLogo(tools.encode, text, { ...style, level: 'M' }, { boost: true, at: '/design' })
  return composeScene(marked, style, { size, text, font: tools.font })
}

function drawing(inner: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${inner}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

function bitmap(): string {
  const png = rasterizer.png(
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><circle cx="150" cy="100" r="95" fill="red"/></svg>',
  )
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`
}

const clipped =
  '<clipPath id="c"><circle cx="4" cy="4" r="3"/></clipPath><linearGradient id="g"><stop stop-color="red"/>' +
  '<stop offset="1" stop-color="blue"/></linearGradient><g clip-path="url(#c)"><rect width="8" height="8" fill="url(#g)"/></g>' +
  '<circle cx="4" cy="4" r="2" opacity=".5"/><path d="M0 0L8 3" stroke="green"/>'
const faint = '<g opacity=".9"><rect x="-3" y="-3" width="9" height="9" fill="#123456" opacity=".8"/></g>'

const designs: [name: string, design: Design][] = [
  ['dots', { shape: 'dots', fg: '#123456' }],
  ['a transparent background', { bg: '#ffffff00', shape: 'dots' }],
  ['a gradient along a line', { gradient: { type: 'linear', from: '#123456', to: '#105010', angle: 33 } }],
  [
    'a gradient around the middle, and a frame',
    {
      gradient: { type: 'radial', from: '#123456', to: '#103010' },
      shape: 'classy',
      frame: { text: 'SCAN ME' },
    },
  ],
  ['a logo with a clip path, a gradient and an opacity', { logo: { image: drawing(clipped) } }],
  ['such a logo on the modules', { logo: { image: drawing(clipped), knockout: false } }],
  ['a logo that reaches out of its viewBox, and a frame', { logo: { image: drawing(faint) }, frame: { text: 'Menu' } }],
  ['a bitmap', { logo: { image: bitmap() } }],
]

/** The rows of a PNG of eight bits a channel, each stored as the difference from the one above. */
function pixelsOf(png: Uint8Array): Uint8Array {
  const file = Buffer.from(png)
  const stride = file.readUInt32BE(16) * 4
  const rows = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)))
  const pixels = new Uint8Array(stride * file.readUInt32BE(20))
  for (let from = 0, to = 0; from < rows.length;) {
    assert.equal(rows[from++], 2)
    for (const end = from + stride; from < end; from++, to++)
      pixels[to] = (rows[from] ?? 0) + (pixels[to - stride] ?? 0)
  }
  return pixels
}

/** How many channels differ, and by how much at most. */
function compare(one: Uint8Array, other: Uint8Array): { count: number; most: number } {
  assert.equal(one.length, other.length)
  let [count, most] = [0, 0]
  for (const [at, value] of one.entries()) {
    if (value === other[at]) continue
    count++
    most = Math.max(most, Math.abs(value - (other[at] ?? 0)))
  }
  return { count, most }
}

const layered = drawing(`${'<g opacity=".9">'.repeat(6)}${clipped}${'</g>'.repeat(6)}`)

/** What takes memory, after the same work of less size. */
const works: Record<string, (isLarge: boolean) => void> = {
  png: (isLarge) => rasterizer.draw(sceneOf({ logo: { image: layered }, frame: { text: 'I' } }, isLarge ? 4096 : 600)),
  logo: (isLarge) => {
    const image = tools.readLogo(drawing('<rect width="8" height="8" fill="red" opacity=".9"/>'))
    encodeImage(rasterizer.pixels(logoAlone(image, isLarge ? 800 : 80)))
  },
}

/** Megabytes that work takes besides what the same work of less size has taken. */
async function megabytesOf(work: string): Promise<number> {
  // In a process of its own, which has drawn nothing larger.
  const env = { ...process.env, MEASURED: work, NODE_TEST_CONTEXT: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename], { env })
  return Number(stdout)
}

const work = works[process.env['MEASURED'] ?? '']
if (work) {
  work(false)
  const before = process.resourceUsage().maxRSS
  for (let at = 0; at < 3; at++) work(true)
  console.log(Math.round((process.resourceUsage().maxRSS - before) / 1024))
} else {
  test('an image that is drawn in bands has the pixels of one that is drawn at once, but for a few at the ends of curves', () => {
    for (const [name, design] of designs) {
      for (const size of [600, 2047, 4096]) {
        const scene = sceneOf(design, size)
        const whole = pixelsOf(rasterizer.png(sceneToSvg(scene)))
        const { count, most } = compare(pixelsOf(rasterizer.drawPng(scene)), whole)
        const seen = `${name} at ${size} px: ${count} of ${whole.length} differ, by ${most} at most`
        assert.ok(most <= 32 && count <= whole.length / 1000, seen)
      }
    }
  })

  test('the greyscale of a large image is that of its pixels, shrunk to about the width of a screen', () => {
    for (const [size, width] of [
      [1500, 1500],
      [2049, 1024],
      [3073, 1024],
      [4096, 1024],
    ] as const) {
      const scene = sceneOf({ frame: { text: 'Menu' } }, size)
      const { gray } = rasterizer.draw(scene)
      assert.deepEqual([gray.width, gray.pixels.length], [width, gray.width * gray.height])
      const { pixels } = rasterizer.photograph(sceneToSvg(scene), width)
      const far = gray.pixels.filter((value, at) => Math.abs(value - (pixels[at] ?? 0)) > 128).length
      assert.ok(far < pixels.length / 50, `${far} of ${pixels.length} differ at ${size} px`)
    }
  })

  test('an image of 4,096 pixels takes less than 150 MB more than one of 600', async () => {
    const megabytes = await megabytesOf('png')
    assert.ok(megabytes < 150, `${megabytes} MB`)
  })

  test('the pixels of a logo in a file for print take less than 60 MB', async () => {
    const megabytes = await megabytesOf('logo')
    assert.ok(megabytes < 60, `${megabytes} MB`)
  })
}
