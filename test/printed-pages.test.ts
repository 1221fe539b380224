// Pages to print as printers get them: poppler draws them, and decoders read them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Problem } from '../src/http/problem.ts'
import { encodeWithLogo } from '../src/qr/design/logo-placement.ts'
import { columnsOf, composeScene } from '../src/qr/design/scene.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { readStyle } from '../src/qr/design/style.ts'
import { createEncodeText } from '../src/qr/matrix.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { openPrintFonts } from '../src/qr/print/fonts.ts'
import { drawPoster, type Poster } from '../src/qr/print/poster.ts'
import { templates, typographies, type TemplateName, type TypographyName } from '../src/qr/print/template.ts'
import { printPdf } from './support/decoders.ts'
import { cropPgm, readHead } from './support/pgm.ts'
import { requireProgram } from './support/programs.ts'
import { decoderNames, missedOf } from './support/three-decoders.ts'

const fontOf = await openPrintFonts()
const supplies = openSupplies()
const encode = createEncodeText()
const TEXT = 'https://qr.example.com/k7dw3nq?qr=1'
const folder = mkdtempSync(join(tmpdir(), 'quirl-pages-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const plain: Omit<Poster, 'paper' | 'style'> = {
  title: 'Menu',
  text: '',
  address: 'qr.example.com/k7dw3nq',
  logo: false,
}

function drawPage(paper: TemplateName, style: TypographyName, content: Partial<Poster>, design: Design = {}): Buffer {
  const read = readStyle(design, '', supplies)
  const marked = encodeWithLogo(encode, TEXT, read, { boost: true, at: '' })
  const columns = columnsOf(marked, read)
  const scene = composeScene(marked, read, { size: columns * 8, text: TEXT, font: supplies.font })
  const rasterizer = { pixels: () => ({ width: 1, height: 1, rgba: new Uint8Array([0, 0, 0, 255]) }) }
  const poster = { ...plain, paper, style, ...content }
  return Buffer.from(drawPoster(poster, 'pdf', { scene, style: read, columns }, { fontOf, rasterizer }).body)
}

const papers = Object.keys(templates) as TemplateName[]
const styles = Object.keys(typographies) as TypographyName[]
const LONGEST = 'the longest texts'
const contents: [string, Partial<Poster>, Design?][] = [
  ['one line', {}],
  ['accents', { title: 'Ýčřåm Żółć', text: 'à la carte' }],
  ['Greek', { title: 'Κατάλογος' }],
  ['Cyrillic', { title: 'Меню', text: 'Наведите камеру' }],
  [LONGEST, {}],
  ['a frame', { title: '' }, { frame: { text: 'Scan me' }, shape: 'dots', margin: 1 }],
]

/** With `CORPUS=all`, each template in each typography; else in one after the other, which takes a fifth of the time. */
const isWhole = process.env['CORPUS'] === 'all'

/** Each template with each content, and with the longest texts that fit. */
function* contentsOf() {
  for (const [at, paper] of papers.entries())
    for (const [turn, [what, content, design]] of contents.entries())
      for (const style of isWhole ? styles : [styles[(at + turn) % styles.length] ?? 'plain'])
        yield { paper, style, what, turn, content: what === LONGEST ? longestOn(paper, style) : content, design }
}

/** Small pages at both resolutions, large ones at 300 dpi only once: they have 9 million pixels. */
function* pages() {
  for (const { paper, style, what, turn, content, design } of contentsOf()) {
    const pdf = drawPage(paper, style, content, design)
    const both = isWhole || templates[paper].width < 100 || turn === 0
    for (const dpi of both ? [150, 300] : [150]) yield { paper, style, what, dpi, pdf }
  }
}

/** The most words that a template takes. */
function longestOn(paper: TemplateName, style: TypographyName): Partial<Poster> {
  const words = Array.from({ length: 60 }, (_, at) => ['Wochenkarte', 'und', 'Getränke', 'für', 'Gäste'][at % 5])
  for (let count = words.length; count > 0; count--) {
    const content = { title: words.slice(0, Math.ceil(count / 2)).join(' '), text: words.slice(0, count).join(' ') }
    if (fits(paper, style, content)) return content
  }
  throw new Error(`nothing fits onto ${paper}`)
}

function fits(paper: TemplateName, style: TypographyName, content: Partial<Poster>): boolean {
  try {
    drawPage(paper, style, content)
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'text_too_long') return false
    throw error
  }
}

test('each template is read by three decoders at 150 and 300 dpi, with each kind of text in turn', async (t) => {
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils')) return
  const pictures: { name: string; text: string; file: Buffer }[] = []
  for (const { paper, style, what, dpi, pdf } of pages())
    for (const [part, file] of facesOf(paper, await printPdf(pdf, dpi)).entries())
      pictures.push({ name: `${paper} ${style} ${what} ${dpi} ${part}`, text: TEXT, file })
  assert.deepEqual(await missedOf(pictures, decoderNames), [])
})

/** The halves of a tent, as decoders say what they find in one picture once for each code; other pages as they are. */
function facesOf(paper: TemplateName, file: Buffer): Buffer[] {
  if (paper !== 'tent-a4') return [file]
  const { width, height } = readHead(file)
  return [0, height / 2].map((y) => cropPgm(file, { x: 0, y, width, height: Math.floor(height / 2) }))
}

/** The standard output of a program for a file, and what it complains of. */
function ask(program: string, args: string[], pdf: Buffer): string {
  const file = join(folder, 'page.pdf')
  writeFileSync(file, pdf)
  return execFileSync(program, [...args, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

test("printers' shops get PDF 1.7 with boxes, embedded subsets and black alone, which programs take without a word", (t) => {
  if (!requireProgram(t, 'pdfinfo', 'poppler-utils') || !requireProgram(t, 'qpdf', 'qpdf')) return
  for (const paper of papers)
    for (const style of styles) {
      const pdf = drawPage(paper, style, { text: 'Scan me' })
      assert.match(ask('qpdf', ['--check'], pdf), /No syntax or stream encoding errors found/)
      const info = ask('pdfinfo', ['-box'], pdf)
      assert.match(info, /PDF version: +1\.7/)
      const { width, height, isCut } = templates[paper]
      const trim = boxOf(info, 'TrimBox')
      assert.deepEqual([trim[2] - trim[0], trim[3] - trim[1]].map(millimetres), [width, height], `${paper} TrimBox`)
      const bleed = boxOf(info, 'BleedBox')
      assert.equal(millimetres(bleed[2] - bleed[0]), width + (isCut ? 6 : 0), `${paper} BleedBox`)
      const fonts = ask('pdffonts', [], pdf).split('\n').slice(2).filter(Boolean)
      assert.ok(fonts.length > 0)
      for (const font of fonts) assert.match(font, /^[A-Z]{6}\+Roboto\S* +CID TrueType +Identity-H +yes yes yes /)
      const contents = writeUncompressed(pdf)
      assert.doesNotMatch(
        contents,
        / rg\b| RG\b|\/SMask|\/ca /,
        `${paper} ${style}: black is DeviceGray, and nothing is transparent`,
      )
    }
})

/** The file with streams as texts. */
function writeUncompressed(pdf: Buffer): string {
  const file = join(folder, 'compressed.pdf')
  writeFileSync(file, pdf)
  return execFileSync('qpdf', ['--qdf', '--object-streams=disable', file, '-'], { encoding: 'latin1' })
}

function boxOf(info: string, name: string): [number, number, number, number] {
  const [, ...sides] = new RegExp(`^${name}: +(\\S+) +(\\S+) +(\\S+) +(\\S+)$`, 'm').exec(info) ?? []
  assert.equal(sides.length, 4, info)
  return sides.map(Number) as [number, number, number, number]
}

/** Points to tenths of a millimetre. */
function millimetres(points: number): number {
  return Math.round((points * 254) / 72) / 10
}

test('the text of a page can be searched and copied', (t) => {
  if (!requireProgram(t, 'pdftotext', 'poppler-utils')) return
  // A font keeps what it has read: each page must be as if it were the first.
  for (const title of ['à la fin', 'Speisekarte', 'AVATAR', 'Κατάλογος', 'Меню']) {
    const file = join(folder, 'text.pdf')
    writeFileSync(file, drawPage('a5', 'classic', { title }))
    const text = execFileSync('pdftotext', [file, '-'], { encoding: 'utf8' })
    assert.ok(text.includes(title) && text.includes(plain.address), text)
  }
})
