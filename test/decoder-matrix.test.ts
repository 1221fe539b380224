import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eyeShapes, leastVersion } from '../src/qr/design/eyes.ts'
import { encodeAround } from '../src/qr/design/logo-place.ts'
import { composeScene, type Scene } from '../src/qr/design/scene.ts'
import { sceneToPdf } from '../src/qr/design/scene-pdf.ts'
import { logoAlone, sceneToSvg } from '../src/qr/design/scene-svg.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { moduleShapes } from '../src/qr/design/shapes.ts'
import { readStyle } from '../src/qr/design/style.ts'
import { blocksOf, levels, type Level } from '../src/qr/encoder/tables.ts'
import { createEncodeText } from '../src/qr/matrix.ts'
import { place, readLook } from '../src/qr/options.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { renderPng } from '../src/qr/png/png.ts'
import { logoPixels, photograph, printPdf } from './support/decoders.ts'
import { dataUri, pngFile, svgLogo } from './support/logos.ts'
import { decoderNames, missedIn, type Picture } from './support/three-decoders.ts'
import { requireProgram } from './support/programs.ts'

const supplies = await openSupplies()
const encode = createEncodeText()

const designs: Record<string, Design> = {
  plain: {},
  rounded: { shape: 'rounded', eye_frame: 'rounded', eye_ball: 'rounded', fg: '#1d3557' },
  dots: { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle', fg: '#000' },
  diamond: { shape: 'diamond', eye_ball: 'circle', eye_frame_color: '#9d0208', eye_ball_color: '#370617' },
  classy: { shape: 'classy', eye_frame: 'leaf', eye_ball: 'leaf' },
  linear: { gradient: { type: 'linear', from: '#3a0ca3', to: '#1b4332', angle: 30 }, shape: 'rounded' },
  radial: { gradient: { type: 'radial', from: '#6a040f', to: '#03071e' } },
  paper: { bg: '#fefae0', fg: '#283618' },
  transparent: { bg: 'transparent', shape: 'dots', eye_frame: 'rounded' },
  logo: { logo: { image: svgLogo, size: 0.15 } },
  picture: { logo: { image: dataUri('png', pngFile(40, 20)), size: 0.12 }, shape: 'rounded' },
  frame: { frame: { text: 'Scan me' } },
  above: { frame: { text: 'Größe: MENU', position: 'top', shape: 'square', color: '#264653' }, shape: 'classy' },
  everything: {
    shape: 'rounded',
    eye_frame: 'leaf',
    eye_ball: 'circle',
    gradient: { type: 'linear', from: '#03045e', to: '#5a189a', angle: 90 },
    logo: { image: svgLogo, size: 0.12 },
    frame: { text: 'SCAN', color: '#03045e' },
    bg: '#f8f9fa',
  },
}

const versions = [1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 17, 22, 27, 33, 35, 40]
/** Versions whose middle has no alignment pattern. */
const logoVersions = [4, 5, 6, 14, 15, 17, 20, 28, 30, 33]
/**
 * Where a dark logo covers one, zbarimg (0.23.92) takes part of it for the pattern in about one image of ten, and places
 * the modules around by that. These are asked of both ZXings only, and are not among those that three decoders read.
 */
const coveredVersions = [7, 10, 13, 22, 27, 35, 40]
const PDF_DPI = 300
/** What the report recommends for a good image. */
const MODULE_MM = 0.5

/** As many small letters as fill a version at a level. */
function textFor(version: number, level: Level): string {
  const bytes = Math.floor((blocksOf(version, level).data * 8 - 4 - (version < 10 ? 8 : 16)) / 8)
  return 'https://q.example/_abcdefghijklmnopqrstuvwxyz-'.repeat(100).slice(0, bytes)
}

/** Each design at versions small and large and every level, in every format. */
async function* ofDesigns(): AsyncGenerator<Picture> {
  for (const [name, design] of Object.entries(designs)) {
    for (const version of design.logo === undefined ? versions : logoVersions) {
      // A logo has the level raised to what it costs.
      for (const level of design.logo === undefined ? levels : (['H'] as const)) {
        yield* inEveryFormat({ name, design, version, level })
      }
    }
  }
}

async function* ofCoveredPatterns(): AsyncGenerator<Picture> {
  for (const [name, design] of Object.entries(designs)) {
    if (design.logo === undefined) continue
    for (const version of coveredVersions) yield* inEveryFormat({ name, design, version, level: 'H' })
  }
}

const shapeDesigns = moduleShapes.flatMap((shape) =>
  eyeShapes.flatMap((eye_frame) => eyeShapes.map((eye_ball) => ({ shape, eye_frame, eye_ball }))),
)

/** Every shape of modules with every frame of eyes with everything in it; versions, levels and sizes take turns. */
function* ofShapes(): Generator<Picture> {
  let turn = 0
  for (const design of shapeDesigns) {
    const name = `${design.shape} modules, ${design.eye_ball} in ${design.eye_frame}`
    for (const version of [1, 2, 3, 4, 6, 8, 11, 16, 19, 24]) {
      const { svg, columns } = draw({ name, design, version, level: levels[turn % 4] ?? 'M' })
      yield svg(columns * (3 + (turn % 10)) + (turn % 3))
      turn++
    }
  }
}

interface Sample {
  name: string
  design: Design
  version: number
  level: Level
}

/** The same symbol at two sizes, as SVG, and as PDF; whole pixels a module, and not. */
async function* inEveryFormat(sample: Sample): AsyncGenerator<Picture> {
  const { svg, pdf, png, columns } = draw(sample)
  yield svg(columns * 4)
  yield svg(columns * 5 + 3)
  yield await pdf(columns * 8)
  if (sample.name === 'plain') yield png(columns * 4)
}

function draw({ name, design, version, level }: Sample) {
  const text = textFor(version, level)
  const style = { ...readStyle(design, '', supplies), level }
  const marked = encodeAround(encode, text, style, { boost: false, at: '' })
  assert.equal(marked.symbol.version, Math.max(version, leastVersion(style.eyeFrame)))
  const columns = marked.symbol.size + 2 * (style.margin + 1)
  const compose = (size: number): Scene => composeScene(marked, style, { size, text, font: supplies.font })
  const picture = (format: string, file: Buffer): Picture => ({
    name: `${name}, version ${version}-${level}, ${format}`,
    text,
    file,
  })
  return {
    columns,
    svg: (size: number): Picture => picture(`${size} px`, photograph(sceneToSvg(compose(size)))),
    pdf: async (size: number): Promise<Picture> => {
      const logo = style.logo && logoPixels(logoAlone(style.logo.image, 200))
      return picture('PDF', await printPdf(sceneToPdf(compose(size), columns * MODULE_MM, logo), PDF_DPI))
    },
    png: (size: number): Picture => {
      const look = readLook({ size }, 'png')
      return picture('PNG', renderPng(marked.symbol, place(marked.symbol.size, look), look))
    },
  }
}

function hasPrograms(t: TestContext): boolean {
  return (
    requireProgram(t, 'zbarimg', 'zbar-tools') &&
    requireProgram(t, 'ZXingReader', 'zxing-cpp-tools') &&
    requireProgram(t, 'pdftoppm', 'poppler-utils')
  )
}

test('three decoders read the exact bytes of designs of all versions, levels and sizes, as SVG, PNG and PDF', async (t) => {
  if (!hasPrograms(t)) return
  const { total, missed } = await missedIn(ofDesigns(), decoderNames)
  t.diagnostic(`${total} images`)
  assert.deepEqual(missed, [])
  assert.ok(total >= 2200, `${total} images`)
})

test('three decoders read the exact bytes of every shape of modules with all eyes, at ten sizes of a module', async (t) => {
  if (!hasPrograms(t)) return
  const { total, missed } = await missedIn(ofShapes(), decoderNames)
  t.diagnostic(`${total} images`)
  assert.deepEqual(missed, [])
  assert.equal(total, shapeDesigns.length * 10)
})

test('where a logo covers an alignment pattern, both ZXings read the exact bytes', async (t) => {
  if (!hasPrograms(t)) return
  const { total, missed } = await missedIn(ofCoveredPatterns(), ['ZXingReader', 'zxing-wasm'])
  assert.deepEqual(missed, [])
  assert.equal(total, 3 * coveredVersions.length * 3)
})
