import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../src/http/problem.ts'
import { createEncodeText, type Level, type QrSymbol } from '../src/qr/matrix.ts'
import { planSegments } from '../src/qr/encoder/segments.ts'
import { place, readAppearance, type Appearance } from '../src/qr/options.ts'
import * as png from '../src/qr/png/png.ts'
import * as svg from '../src/qr/svg.ts'
import { assertCovers, chosenOf, isWhole } from './support/corpus.ts'
import { enlarge, rasterize, readPng, readWithZxing, writePgm, type Bitmap } from './support/decoders.ts'
import { requireProgram } from './support/programs.ts'
import { missedInBatches, missedOf } from './support/three-decoders.ts'

const encodeText = createEncodeText()
const encodeMatrix = (text: string, level: Level) => encodeText(text, { level, boost: false })
const renderPng = (symbol: QrSymbol, look: Appearance) => png.renderPng(symbol, place(symbol.size, look), look)
const renderSvg = (symbol: QrSymbol, look: Appearance) =>
  svg.renderSvg(symbol, place(symbol.size, look), look, 'a text')

const levels: readonly Level[] = ['L', 'M', 'Q', 'H']

/** The texts repeat these characters. The first two kinds have modes denser than bytes. */
const kinds = {
  digits: '0123456789',
  capitals: 'HTTPS://QUIRL.EXAMPLE/K7DW3NQ $%*+-',
  ascii: 'https://example.com/~a?b=c&d=[e]#{f}',
  umlauts: 'äöüßÄÖÜéñçø',
  emoji: '😀🚀🎉👩‍💻🇩🇪',
  cjk: '短縮網址二維碼ひらがな한국어',
}
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as Kind[]

/** A symbol of the tested matrix: its text is of that kind and needs that version at that level. */
interface Sample {
  version: number
  level: Level
  kind: Kind
  text: string
  matrix: QrSymbol
}

/** Every version at every level. The kinds rotate, and so do the fewest, most and average bytes of a version. */
const samples: readonly Sample[] = Array.from({ length: 40 }, (_, index) => index + 1).flatMap((version) =>
  levels.map((level, at) => {
    const kind = kindNames[(version + at) % kindNames.length] ?? 'ascii'
    const fewest = capacity(kind, level, version - 1) + 1
    const most = capacity(kind, level, version)
    const bytes = [Math.floor((fewest + most) / 2), most, fewest][version % 3]
    const text = fill(kind, bytes ?? most)
    return { version, level, kind, text, matrix: encodeMatrix(text, level) }
  }),
)

/** The most bytes of a kind that fit into a version, found by trying the encoder. */
function capacity(kind: Kind, level: Level, version: number): number {
  let [fits, exceeds] = [0, 8000]
  while (exceeds - fits > 1) {
    const middle = (fits + exceeds) >> 1
    if (versionFor(fill(kind, middle), level) <= version) fits = middle
    else exceeds = middle
  }
  return fits
}

function versionFor(text: string, level: Level): number {
  try {
    return encodeMatrix(text, level).version
  } catch (error) {
    if (error instanceof Problem) return Infinity
    throw error
  }
}

/** A text of exactly this number of bytes, padded with lower-case letters where the next character does not fit. */
function fill(kind: Kind, bytes: number): string {
  const characters = Array.from(kinds[kind])
  let [text, length] = ['', 0]
  for (let next = 0; ; next++) {
    const character = characters[next % characters.length] ?? ''
    length += Buffer.byteLength(character)
    if (length > bytes) break
    text += character
  }
  return text + 'xyz'.slice(0, bytes - Buffer.byteLength(text))
}

/** `smallest` is one pixel per module. */
type Size = 'smallest' | 300 | 1024 | 4096

const formats = ['PNG', 'SVG'] as const

/** An image to draw. */
interface Drawing extends Sample {
  size: Size
  format: (typeof formats)[number]
}

/** An image file and the text that decoders must read. */
interface Picture extends Drawing {
  name: string
  file: Buffer
  isUnsaid: boolean
  /** The same image with modules of more than two pixels, for ZXingReader. */
  larger: Buffer
}

/**
 * A PNG and an SVG of each symbol. The decoders get a PNG as it is and an SVG as rasterized by resvg, both enlarged
 * where a module is one pixel. That is a limit of zbarimg, not of the images: at one pixel per module it reads 39 of these
 * 160 PNGs and 45 of the 160 that qrencode draws of the same texts; at two pixels all of both (zbar 0.23.92, qrencode 4.1.1).
 */
function* pictures(drawings: readonly Drawing[], tinyTimes: number): Generator<Picture> {
  for (const drawing of drawings) {
    const { matrix, version, level, kind, size, format } = drawing
    const look = lookOf(drawing, size)
    const name = `version ${version}-${level}, ${kind}, size ${size}, ${format}`
    const png = format === 'PNG' ? renderPng(matrix, look) : undefined
    const bitmap = png === undefined ? rasterize(renderSvg(matrix, look)) : undefined
    const draw = (times: number) =>
      png !== undefined && times === 1 ? png : writePgm(enlarge(bitmap ?? bitmapOf(png ?? Buffer.alloc(0)), times))
    const { scale } = place(matrix.size, look)
    const file = draw(scale === 1 ? tinyTimes : 1)
    // zxing-cpp 1.4 finds no code in one of the 160 at two pixels per module (20-L), which the other decoders read.
    const isUnsaid = planSegments(Buffer.from(drawing.text), level)?.saysUtf8 === false && !isAscii(drawing.text)
    yield { ...drawing, name, file, isUnsaid, larger: scale === 2 ? draw(tinyTimes) : file }
  }
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length

function lookOf({ matrix }: Pick<Sample, 'matrix'>, size: Size) {
  return readAppearance({ size: size === 'smallest' ? matrix.size + 8 : size }, 'png')
}

/** The pixels of a black and white PNG. */
function bitmapOf(png: Buffer): Bitmap {
  const { width, palette, indices } = readPng(png)
  return { size: width, pixels: indices.map((index) => palette[index]?.[0] ?? 0) }
}

/** Asserts that the decoders read every picture. */
async function readAll(
  drawings: readonly Drawing[],
  tinyTimes: number,
  missedOfBatch: (batch: Picture[]) => Promise<string[]>,
): Promise<void> {
  const { total, missed } = await missedInBatches(pictures(drawings, tinyTimes), missedOfBatch)
  assert.deepEqual(missed, [])
  assert.equal(total, drawings.length)
}

/** Also checks the version, the level and the unused error correction that zxing reports. */
async function missedByZxing(batch: Picture[]): Promise<string[]> {
  const faults = await Promise.all(batch.map(faultWithZxing))
  return faults.flatMap((fault, at) => (fault === undefined ? [] : [`zxing: ${batch[at]?.name}: ${fault}`]))
}

async function faultWithZxing({ file, text, version, level }: Picture): Promise<string | undefined> {
  const found = await readWithZxing(file)
  const bytes = Buffer.from(text).toString('latin1')
  try {
    assert.deepEqual(found, [{ bytes, text, version, level, mirrored: false, unusedErrorCorrection: 1 }])
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Few symbols, because images of 4096 pixels take long to draw and to read. */
const few = samples.filter(({ version, level }) => ['1L', '14M', '27Q', '40H'].includes(version + level))

const sizes = ['smallest', 300, 1024] as const

const allDrawings: readonly Drawing[] = [
  ...samples.flatMap((sample) => sizes.flatMap((size) => formats.map((format) => ({ ...sample, size, format })))),
  ...few.flatMap((sample) => formats.map((format) => ({ ...sample, size: 4096 as const, format }))),
]

/**
 * Sizes and formats rotate with the versions, in other steps than the kinds and lengths of texts do;
 * there are fewer images of the larger sizes.
 */
const drawings = chosenOf(allDrawings, ({ version, level, size, format }) => {
  if (size === 4096) return version + level === (format === 'PNG' ? '14M' : '40H')
  const turn = Math.floor(version / 3) % 6
  return size === (turn === 0 ? 1024 : sizes[turn % 2]) && format === formats[Math.floor(version / 2) % 2]
})

const bareDrawings: readonly Drawing[] = samples.flatMap((sample) =>
  formats.map((format) => ({ ...sample, size: 'smallest' as const, format })),
)
const bare = chosenOf(bareDrawings, ({ version, format }) => format === formats[version % 2])

test('the texts cover every version at every level, and every kind at every level', () => {
  const all = Array.from({ length: 160 }, (_, index) => `${Math.floor(index / 4) + 1}${levels[index % 4]}`)
  assert.deepEqual(
    samples.map(({ version, level }) => version + level),
    all,
  )
  assert.deepEqual(
    samples.map(({ matrix }) => matrix.version + matrix.level),
    all,
  )
  const seen = samples.filter(({ kind, text }) => text.startsWith(Array.from(kinds[kind])[0] ?? ''))
  const pairs = new Set(seen.map(({ level, kind }) => level + kind))
  assert.equal(pairs.size, levels.length * kindNames.length)
  assert.equal(few.length, 4)
})

test('the images cover every version at every level, and each pair of size, format, level and kind', () => {
  assertCovers(drawings, allDrawings, [
    ['version', 'level'],
    ['level', 'format'],
    ['size', 'format'],
    ['kind', 'format'],
  ])
  const isUsual = ({ size }: Drawing) => size !== 4096
  assertCovers(drawings.filter(isUsual), allDrawings.filter(isUsual), [
    ['level', 'size'],
    ['kind', 'size'],
  ])
  assertCovers(bare, bareDrawings, [
    ['version', 'level'],
    ['level', 'format'],
    ['kind', 'format'],
  ])
})

const images = `every version and level in ${drawings.length} images, PNG and SVG, from the smallest to 4096 pixels`

// Drawing takes as long as reading: each image is drawn once for all three decoders.
test(`zxing, zbarimg and ZXingReader read the exact bytes of ${images}; zxing without an error to correct`, async (t) => {
  if (!requireProgram(t, 'zbarimg', 'zbar-tools')) return
  if (!requireProgram(t, 'ZXingReader', 'zxing-cpp-tools')) return
  await readAll(drawings, 4, async (batch) => [
    ...(await missedByZxing(batch)),
    ...(await missedOf(batch, ['zbarimg'])),
    ...(await missedOf(
      batch.map((picture) => ({ ...picture, file: picture.larger })),
      ['ZXingReader'],
    )),
  ])
})

test(`zxing also reads the exact bytes of every version and level from ${bare.length} images of one pixel per module`, async () => {
  await readAll(bare, 1, missedByZxing)
})

test('the smallest size has one pixel per module including the quiet zone, and one pixel less is refused', async () => {
  for (const { matrix } of samples) {
    for (const margin of [0, 4, 16]) {
      const size = matrix.size + 2 * margin
      assert.equal(place(matrix.size, { size, margin }).scale, 1)
      const look = readAppearance({ size: size - 1, margin }, 'png')
      for (const render of [renderSvg, renderPng]) assert.throws(() => render(matrix, look), isRefusal(size))
    }
  }
})

function isRefusal(smallest: number) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Problem)
    assert.equal(error.status, 400)
    assert.deepEqual(
      error.errors.map(({ pointer, detail }) => [pointer, detail.match(/\d+/)?.[0]]),
      [['/size', String(smallest)]],
    )
    return true
  }
}

/** Sizes that leave no, some and the most pixels over, with and without a last byte of eight pixels. */
function sizesOf({ matrix }: Sample, margin: number): number[] {
  const smallest = matrix.size + 2 * margin
  return [smallest, smallest + 1, smallest * 2 - 1, smallest * 2, smallest * 3 + 2]
}

test('a PNG has exactly the requested size, one bit per pixel, and a palette of background and foreground', async () => {
  for (const [at, sample] of samples.entries()) {
    // Outside of the whole corpus, the sizes rotate with the versions and levels.
    const all = [...sizesOf(sample, 4), 300, 301, 1024]
    for (const size of all.filter((_, turn) => isWhole || turn % 4 === (at + (at >> 2)) % 4)) {
      const look = readAppearance({ size, fg: '#123456', bg: '#fedcba' }, 'png')
      const { indices: _, ...png } = readPng(renderPng(sample.matrix, look))
      assert.deepEqual(png, {
        width: size,
        height: size,
        chunks: ['IHDR', 'PLTE', 'IDAT', 'IEND'],
        palette: [
          [0xfe, 0xdc, 0xba],
          [0x12, 0x34, 0x56],
        ],
        opacities: undefined,
      })
    }
  }
})

test('a PNG has a tRNS chunk only if a colour is not opaque', async () => {
  const [sample] = samples
  assert.ok(sample)
  for (const [query, opacities] of [
    [{}, undefined],
    [{ fg: '#112233ff', bg: '#ffffffff' }, undefined],
    [{ bg: 'transparent' }, [0, 255]],
    [{ bg: '#ffffff00' }, [0, 255]],
    [{ bg: '#ffffff80' }, [0x80, 255]],
    [{ fg: '#000000c0' }, [255, 0xc0]],
    [{ fg: '#000000fe', bg: '#eeeeee01' }, [1, 0xfe]],
  ] as const) {
    const png = readPng(renderPng(sample.matrix, readAppearance(query, 'png')))
    assert.deepEqual(png.opacities, opacities)
    const optional = opacities === undefined ? [] : ['tRNS']
    assert.deepEqual(png.chunks, ['IHDR', 'PLTE', ...optional, 'IDAT', 'IEND'])
  }
})

test('modules are whole pixels, as large as fit, centred in a quiet zone at least as wide as requested', async () => {
  for (const sample of few) {
    const { matrix } = sample
    for (const margin of [0, 1, 4, 16]) {
      for (const size of sizesOf(sample, margin)) {
        const { indices } = readPng(renderPng(matrix, readAppearance({ size, margin }, 'png')))
        // The finder patterns reach into three corners of the symbol, so that its dark pixels span all of it.
        const first = indices.indexOf(1)
        const [left, top] = [first % size, Math.floor(first / size)]
        const bottom = Math.floor(indices.lastIndexOf(1) / size)
        const scale = (bottom + 1 - top) / matrix.size
        const spare = size - matrix.size * scale
        assert.equal(scale, Math.floor(size / (matrix.size + 2 * margin)))
        assert.deepEqual([left, top], [Math.floor(spare / 2), Math.floor(spare / 2)])
        assert.ok(left >= margin * scale)
        const expected = indices.map((_, at) => {
          const [x, y] = [(at % size) - left, Math.floor(at / size) - top]
          const [column, row] = [Math.floor(x / scale), Math.floor(y / scale)]
          const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < matrix.size
          return isInside ? (matrix.modules[row * matrix.size + column] ?? 0) : 0
        })
        assert.ok(Buffer.from(indices).equals(expected), `size ${size}, margin ${margin}`)
      }
    }
  }
})

test('an SVG is pixel for pixel the same as the PNG of its size', async () => {
  for (const sample of samples) {
    for (const size of ['smallest', 300] as const) {
      const look = lookOf(sample, size)
      const [png, svg] = [bitmapOf(renderPng(sample.matrix, look)), rasterize(renderSvg(sample.matrix, look))]
      assert.equal(svg.size, png.size)
      assert.ok(Buffer.from(svg.pixels).equals(png.pixels), `version ${sample.version}-${sample.level}, size ${size}`)
    }
  }
})

test('the decoders detect a wrong module, and the PNG reader each wrong byte', async () => {
  for (const sample of few) {
    const { matrix, version, level } = sample
    const modules = matrix.modules.map((dark, at) => (at === matrix.modules.length - 1 ? 1 - dark : dark))
    const [reading] = await readWithZxing(renderPng({ ...matrix, modules }, lookOf(sample, 1024)))
    assert.equal(reading?.text, sample.text)
    assert.ok(reading.unusedErrorCorrection < 1, `version ${version}-${level}`)
  }
  const [sample] = samples
  assert.ok(sample)
  const png = renderPng(sample.matrix, lookOf(sample, 'smallest'))
  for (const at of png.keys()) {
    const damaged = Buffer.from(png)
    damaged[at] = (damaged[at] ?? 0) ^ 0x20
    assert.throws(() => readPng(damaged), `byte ${at}`)
  }
})
