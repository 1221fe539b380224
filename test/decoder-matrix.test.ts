import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFont } from '../src/qr/design/font.ts'
import { encodeAround } from '../src/qr/design/logo-place.ts'
import { composeScene, type Scene } from '../src/qr/design/scene.ts'
import { sceneToPdf } from '../src/qr/design/scene-pdf.ts'
import { logoAlone, sceneToSvg } from '../src/qr/design/scene-svg.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { readStyle } from '../src/qr/design/style.ts'
import { blocksOf, levels, type Level } from '../src/qr/encoder/tables.ts'
import { createEncodeText } from '../src/qr/matrix.ts'
import { place, readLook } from '../src/qr/options.ts'
import { renderPng } from '../src/qr/png/png.ts'
import { temporaryFolder } from './support/cleanup.ts'
import {
  logoPixels,
  photograph,
  printPdf,
  readWithZbar,
  readWithZxing,
  readWithZxingProgram,
} from './support/decoders.ts'
import { dataUri, pngFile, svgLogo } from './support/logos.ts'
import { requireProgram } from './support/programs.ts'

const font = readFont(readFileSync(new URL(import.meta.resolve('roboto-fontface/fonts/roboto/Roboto-Bold.woff'))))
const encode = createEncodeText()

const designs: Record<string, Design> = {
  plain: {},
  rounded: { shape: 'rounded', eye_frame: 'rounded', eye_ball: 'rounded', fg: '#1d3557' },
  dots: { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle', fg: '#000' },
  diamond: { shape: 'diamond', eye_ball: 'diamond', eye_frame_color: '#9d0208', eye_ball_color: '#370617' },
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

const versions = [1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 17, 22, 27, 33, 40]
const PDF_DPI = 300

interface Picture {
  name: string
  text: string
  file: Buffer
}

/** As many small letters as fill a version at a level. */
function textFor(version: number, level: Level): string {
  const bytes = Math.floor((blocksOf(version, level).data * 8 - 4 - (version < 10 ? 8 : 16)) / 8)
  return 'https://q.example/_abcdefghijklmnopqrstuvwxyz-'.repeat(100).slice(0, bytes)
}

async function* pictures(): AsyncGenerator<Picture> {
  for (const [name, design] of Object.entries(designs)) {
    for (const version of versions) {
      // Where a logo raises the level, the text must still fit; the smallest versions have no room for one.
      if (design.logo !== undefined && version < 4) continue
      for (const level of levels) yield* picturesOf(`${name}, version ${version}-${level}`, design, version, level)
    }
  }
}

/** The same symbol at two sizes, as SVG, and as PDF; whole pixels a module, and not. */
async function* picturesOf(name: string, design: Design, version: number, level: Level): AsyncGenerator<Picture> {
  const text = textFor(version, design.logo === undefined ? level : 'H')
  const style = { ...readStyle(design, '', font), level }
  const marked = encodeAround(encode, text, style, { boost: false, at: '' })
  // A logo's level is raised from there, and a lower one may have needed a smaller version.
  if (design.logo === undefined) assert.equal(marked.symbol.version, version)
  const columns = marked.symbol.size + 2 * (style.margin + 1)
  const compose = (size: number): Scene => composeScene(marked, style, { size, text, font })
  for (const size of [columns * 3, columns * 5 + 3]) {
    yield { name: `${name}, ${size} px`, text, file: photograph(sceneToSvg(compose(size))) }
  }
  const scene = compose(columns * 8)
  const logo = style.logo && logoPixels(logoAlone(style.logo.image, 200))
  const millimetres = (columns * 4.3 * 25.4) / PDF_DPI
  yield { name: `${name}, PDF`, text, file: await printPdf(sceneToPdf(scene, millimetres, logo), PDF_DPI) }
  if (name.startsWith('plain')) {
    const look = readLook({ size: columns * 4 }, 'png')
    yield { name: `${name}, PNG`, text, file: renderPng(marked.symbol, place(marked.symbol.size, look), look) }
  }
}

test('three decoders read the exact bytes of 2,000 more images: versions, levels, sizes, designs, SVG, PNG and PDF', async (t) => {
  if (!requireProgram(t, 'zbarimg', 'zbar-tools')) return
  if (!requireProgram(t, 'ZXingReader', 'zxing-cpp-tools')) return
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils')) return
  const folder = temporaryFolder(t)
  const all = pictures()
  const faults: string[] = []
  const counts: Record<string, number> = {}
  let total = 0
  const workers = Array.from({ length: availableParallelism() + 1 }, async (_, worker) => {
    for await (const { name, text, file } of all) {
      const path = join(folder, `${worker}.${file.toString('latin1', 1, 4) === 'PNG' ? 'png' : 'pgm'}`)
      await writeFile(path, file)
      const readings = {
        zbarimg: (await readWithZbar(file)).toString(),
        ZXingReader: (await readWithZxingProgram(path)).toString(),
        'zxing-wasm': (await readWithZxing(file)).map((each) => each.text).join('|'),
      }
      for (const [decoder, reading] of Object.entries(readings)) {
        if (reading !== text) faults.push(`${decoder}: ${name}: ${reading.length} characters, not ${text.length}`)
        else counts[decoder] = (counts[decoder] ?? 0) + 1
      }
      total++
    }
  })
  await Promise.all(workers)
  assert.deepEqual(faults, [])
  assert.ok(total >= 2000, `${total} images`)
  assert.deepEqual(counts, { zbarimg: total, ZXingReader: total, 'zxing-wasm': total })
  t.diagnostic(`${total} images, each read by three decoders`)
})
