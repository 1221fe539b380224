import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eyeShapes, leastVersion } from '../src/qr/design/eyes.ts'
import { encodeWithLogo } from '../src/qr/design/logo-placement.ts'
import { composeScene, type Scene } from '../src/qr/design/scene.ts'
import { sceneToPdf } from '../src/qr/design/scene-pdf.ts'
import { logoAlone, sceneToSvg } from '../src/qr/design/scene-svg.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { moduleShapes } from '../src/qr/design/shapes.ts'
import { readStyle } from '../src/qr/design/style.ts'
import { blocksOf, levels, type Level } from '../src/qr/encoder/tables.ts'
import { createEncodeText } from '../src/qr/matrix.ts'
import { place, readAppearance } from '../src/qr/options.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { renderPng } from '../src/qr/png/png.ts'
import { assertCovers, chosenOf, covering } from './support/corpus.ts'
import { logoPixels, photograph, printPdf } from './support/decoders.ts'
import { dataUri, pngFile, svgLogo } from './support/logos.ts'
import { decoderNames, missedIn, type Picture } from './support/three-decoders.ts'
import { requireProgram } from './support/programs.ts'

const supplies = openSupplies()
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
/** Versions without an alignment pattern in the middle. */
const logoVersions = [4, 5, 6, 14, 15, 17, 20, 28, 30, 33]
/**
 * Where a dark logo covers one, zbarimg (0.23.92) mistakes part of it for the pattern in about one image of ten, and locates
 * the modules around by that. Only both ZXings read these images.
 */
const coveredVersions = [7, 10, 13, 22, 27, 35, 40]
const PDF_DPI = 300
/** The module size that the report recommends for a good image. */
const MODULE_MM = 0.5

/** A text in the byte mode that fills a version at a level. */
function textFor(version: number, level: Level): string {
  const bytes = Math.floor((blocksOf(version, level).data * 8 - 4 - (version < 10 ? 8 : 16)) / 8)
  return 'https://q.example/_abcdefghijklmnopqrstuvwxyz-'.repeat(100).slice(0, bytes)
}

/** How a symbol is drawn: from an SVG with modules of whole or fractional pixels, from a PDF, or as the PNG without a design. */
type Format = 'SVG' | 'uneven SVG' | 'PDF' | 'PNG'
const formats: readonly Format[] = ['SVG', 'uneven SVG', 'PDF']

interface Sample {
  name: string
  version: number
  level: Level
}

interface FormatSample extends Sample {
  format: Format
  /** Whether it has a logo. */
  marked: boolean
}

/** Each design at small and large versions and every level, in every format. */
const allDesigns: readonly FormatSample[] = Object.entries(designs).flatMap(([name, design]) =>
  (design.logo === undefined ? versions : logoVersions).flatMap((version) =>
    // A logo raises the level.
    (design.logo === undefined ? levels : (['H'] as const)).flatMap((level) =>
      [...formats, ...(name === 'plain' ? (['PNG'] as const) : [])].map((format) => ({
        name,
        version,
        level,
        format,
        marked: design.logo !== undefined,
      })),
    ),
  ),
)

/** The combinations that the sample covers. Designs with a logo have other versions than those without. */
const designCombinations = [
  ['name', 'level'],
  ['name', 'format'],
  ['version', 'level'],
  ['level', 'format'],
  ['marked', 'version', 'format'],
] as const satisfies (keyof FormatSample)[][]

const someDesigns = covering(allDesigns, designCombinations)

const allCovered: readonly FormatSample[] = Object.entries(designs)
  .filter(([, { logo }]) => logo !== undefined)
  .flatMap(([name]) =>
    coveredVersions.flatMap((version) =>
      formats.map((format) => ({ name, version, level: 'H' as const, format, marked: true })),
    ),
  )

const coveredCombinations = [['name', 'format'], ['version']] as const satisfies (keyof FormatSample)[][]

const someCovered = covering(allCovered, coveredCombinations)

async function* inFormats(samples: readonly FormatSample[]): AsyncGenerator<Picture> {
  for (const { format, marked: _, ...sample } of samples) {
    const { svg, pdf, png, columns } = draw({ ...sample, design: designs[sample.name] ?? {} })
    if (format === 'SVG') yield svg(columns * 4)
    else if (format === 'uneven SVG') yield svg(columns * 5 + 3)
    else if (format === 'PDF') yield await pdf(columns * 8)
    else yield png(columns * 4)
  }
}

const shapeVersions = [1, 2, 3, 4, 6, 8, 11, 16, 19, 24]

/** Every module shape with every eye frame and every eye ball; versions, levels and sizes rotate. */
const allShapes = moduleShapes
  .flatMap((shape) => eyeShapes.flatMap((eye_frame) => eyeShapes.map((eye_ball) => ({ shape, eye_frame, eye_ball }))))
  .flatMap((design, at) =>
    shapeVersions.map((version, turn) => ({
      ...design,
      name: `${design.shape} modules, ${design.eye_ball} in ${design.eye_frame}`,
      version,
      level: levels[(at * shapeVersions.length + turn) % 4] ?? 'M',
      pixels: 3 + turn,
      spare: (at * shapeVersions.length + turn) % 3,
      isInTurn: turn === (at * 7 + Math.floor(at / 4)) % shapeVersions.length,
    })),
  )

const someShapes = chosenOf(allShapes, ({ isInTurn }) => isInTurn)

function* ofShapes(): Generator<Picture> {
  for (const { shape, eye_frame, eye_ball, pixels, spare, ...sample } of someShapes) {
    const { svg, columns } = draw({ ...sample, design: { shape, eye_frame, eye_ball } })
    yield svg(columns * pixels + spare)
  }
}

function draw({ name, design, version, level }: Sample & { design: Design }) {
  const text = textFor(version, level)
  const style = { ...readStyle(design, '', supplies), level }
  const marked = encodeWithLogo(encode, text, style, { boost: false, at: '' })
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
      const look = readAppearance({ size }, 'png')
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

test('the images that the decoders read cover each pair of design, level and format, and of version and level', () => {
  assertCovers(someDesigns, allDesigns, designCombinations)
  assertCovers(someCovered, allCovered, coveredCombinations)
  assertCovers(someShapes, allShapes, [
    ['shape', 'eye_frame', 'eye_ball'],
    ['shape', 'version'],
    ['eye_frame', 'version'],
    ['eye_ball', 'version'],
    ['version', 'level'],
  ])
})

test(`three decoders read the exact bytes of ${someDesigns.length} designs of all versions, levels and sizes, as SVG, PNG and PDF`, async (t) => {
  if (!hasPrograms(t)) return
  const { total, missed } = await missedIn(inFormats(someDesigns), decoderNames)
  assert.deepEqual(missed, [])
  assert.equal(total, someDesigns.length)
})

test(`three decoders read the exact bytes of every module shape with all eyes, in ${someShapes.length} images of ten module sizes`, async (t) => {
  if (!hasPrograms(t)) return
  const { total, missed } = await missedIn(ofShapes(), decoderNames)
  assert.deepEqual(missed, [])
  assert.equal(total, someShapes.length)
})

test(`where a logo covers an alignment pattern, both ZXings read the exact bytes, in ${someCovered.length} images`, async (t) => {
  if (!hasPrograms(t)) return
  const { total, missed } = await missedIn(inFormats(someCovered), ['ZXingReader', 'zxing-wasm'])
  assert.deepEqual(missed, [])
  assert.equal(total, someCovered.length)
})
