import { decimal } from '../design/path.ts'
import { deflateSync } from 'node:zlib'
import { createPdf, endPdf, type PdfFile, type PdfPage } from '../design/pdf-file.ts'
import { addImage, addResources, contentOf, encodeImage, showImage } from '../design/scene-pdf.ts'
import type { EmbeddedImage, ImageSize, Pixels, SceneContent } from '../design/scene-pdf.ts'
import type { Scene } from '../design/scene.ts'
import { POINTS_PER_MM } from '../design/sheet-pdf.ts'
import { createEmbeddedFonts, lineOf, type EmbeddedFonts } from './embedded-fonts.ts'
import type { PrintFonts } from './fonts.ts'
import type { Part, PrintPage } from './page.ts'
import { BLEED, MARK, type Template } from './template.ts'

/** The distance of marks from what bleeds, so that no mark is on what is cut out. */
const MARK_GAP = 1
const MARK_WIDTH = 0.1
/** Marks for folds stand this far inside the edge, which office printers cannot print on. */
const FOLD_EDGE = 6
const FOLD_MARK = 5

/** A file with pages of which each has codes. */
export interface PagesFile {
  pdf: PdfFile
  fonts: EmbeddedFonts
  fontOf: PrintFonts
}

export function createPagesFile(fontOf: PrintFonts): PagesFile {
  const pdf = createPdf()
  return { pdf, fonts: createEmbeddedFonts(pdf), fontOf }
}

/** Ends a file whose pages have all been drawn: each can use all fonts. */
export function endPages(
  { pdf, fonts }: PagesFile,
  pages: PdfPage[],
  info: { title: string; subject?: string },
): Buffer {
  const embedded = fonts.embed()
  return endPdf(
    pdf,
    pages.map((page) => ({ ...page, resources: page.resources + embedded })),
    info,
  )
}

/** A code that is part of a file, with the logo of its design. */
export interface EmbeddedCode {
  form: string
  /** In the units of the form. */
  width: number
  height: number
  logo: EmbeddedImage | undefined
}

/** A code that is part of no file yet, compressed: plain data, which threads can send each other. */
export type CodeForm = Omit<SceneContent, 'content'> & { compressed: Uint8Array }

/** @param logo the size of the scene's logo */
export function formOf(scene: Scene, logo: ImageSize | undefined): CodeForm {
  const { content, ...form } = contentOf(scene, scene.width, logo)
  return { ...form, compressed: deflateSync(content) }
}

/** Adds a code once, for all places that show it. */
export function addCode(pdf: PdfFile, code: CodeForm, logo: EmbeddedImage | undefined): EmbeddedCode {
  const { width, height, compressed } = code
  const resources = addResources(pdf, code, logo)
  const bounds = `[0 0 ${decimal(width)} ${decimal(height)}]`
  const form = pdf.addCompressed(`/Type/XObject/Subtype/Form/BBox${bounds}/Resources<<${resources}>>`, compressed)
  return { form, width, height, logo }
}

/**
 * A page as a PDF file: vectors, except for a bitmap logo; black is that of the black ink alone (DeviceGray).
 * @param logo the pixels of the scene's logo
 */
export function pageToPdf(page: PrintPage, scene: Scene, logo: Pixels | undefined, fontOf: PrintFonts): Buffer {
  const file = createPagesFile(fontOf)
  const code = addCode(file.pdf, formOf(scene, logo), logo && addImage(file.pdf, encodeImage(logo)))
  return endPages(file, [drawPage(file, page, code)], { title: 'QR code', subject: scene.text })
}

/** Draws a page with one code. */
export function drawPage(file: PagesFile, page: PrintPage, code: EmbeddedCode): PdfPage {
  const { width, height, isCut } = page.template
  const margin = isCut ? BLEED + MARK_GAP + MARK : 0
  const drawn = `${drawFaces(file, page, { code, name: 'Code' })}\n${drawMarks(page.template)}`
  const boxOf = (around: number) =>
    [margin - around, margin - around, margin + width + around, margin + height + around].map(
      (each) => each * POINTS_PER_MM,
    )
  return {
    ...pageOf({ width: width + 2 * margin, height: height + 2 * margin }, drawn, [margin, margin]),
    resources: xObjects([{ code, name: 'Code' }]),
    trim: boxOf(0),
    bleed: boxOf(isCut ? BLEED : 0),
  }
}

/** A page of that size in millimetres; `content` is in millimetres from the given point on it, the y axis downwards. */
export function pageOf(
  { width, height }: { width: number; height: number },
  content: string,
  [left, top]: readonly [number, number] = [0, 0],
): Omit<PdfPage, 'resources'> {
  const transform = [1, 0, 0, -1, left, height - top].map((each) => fine(each * POINTS_PER_MM)).join(' ')
  return {
    content: Buffer.from(`${transform} cm 0 g\n${content}`, 'latin1'),
    media: [0, 0, width * POINTS_PER_MM, height * POINTS_PER_MM],
  }
}

/** A code with the name by which the content of a page shows it. */
export interface NamedCode {
  code: EmbeddedCode
  name: string
}

/** The entry of a page's resources for its codes and their logos. */
export function xObjects(codes: NamedCode[]): string {
  const entries = codes.map(({ code, name }) => {
    const logo = code.logo === undefined ? '' : `/${name}Logo ${code.logo.reference}`
    return `/${name} ${code.form}${logo}`
  })
  return `/XObject<<${entries.join('')}>>`
}

/** The operators that draw what is on a page, in millimetres from its upper left corner. */
export function drawFaces({ fonts, fontOf }: PagesFile, { faces }: PrintPage, named: NamedCode): string {
  const drawPart = (part: Part): string => {
    if (part.kind !== 'text') return drawBox(part, named)
    const font = fontOf(part.font)
    const shown = fonts.show(font, part.line ?? lineOf(font, part.text), part)
    return part.isWhite ? `q 1 g ${shown} Q` : shown
  }
  const drawn = faces.map((face) => {
    const place = face.isTurned
      ? [-1, 0, 0, -1, face.x + face.width, face.y + face.height]
      : [1, 0, 0, 1, face.x, face.y]
    return `q ${place.map(decimal).join(' ')} cm\n${face.parts.map(drawPart).join('\n')}\nQ`
  })
  return drawn.join('\n')
}

function drawBox(part: Exclude<Part, { kind: 'text' }>, { code, name }: NamedCode): string {
  const { x, y, width, height } = part
  if (part.kind === 'black') return `${[x, y, width, height].map(decimal).join(' ')} re f`
  if (part.kind === 'logo') return code.logo === undefined ? '' : showImage(`${name}Logo`, code.logo, part)
  const place = [width / code.width, 0, 0, -height / code.height, x, y + height]
  return `q ${place.map(fine).join(' ')} cm /${name} Do Q`
}

/** A scale needs more decimals than a place. */
function fine(value: number): string {
  return String(Number(value.toFixed(6)))
}

/** Marks outside of what is cut out, in line with its edges, and at the edges where the paper is folded. */
function drawMarks({ width, height, shape, isCut, folds }: Template): string {
  const lines: (readonly [x1: number, y1: number, x2: number, y2: number])[] = []
  const far = BLEED + MARK_GAP
  if (isCut) {
    const [xs, ys] =
      shape === 'circle'
        ? [[width / 2], [height / 2]]
        : [
            [0, width],
            [0, height],
          ]
    for (const x of xs) lines.push([x, -far - MARK, x, -far], [x, height + far, x, height + far + MARK])
    for (const y of ys) lines.push([-far - MARK, y, -far, y], [width + far, y, width + far + MARK, y])
  }
  for (const y of folds)
    lines.push([FOLD_EDGE, y, FOLD_EDGE + FOLD_MARK, y], [width - FOLD_EDGE - FOLD_MARK, y, width - FOLD_EDGE, y])
  if (lines.length === 0) return ''
  const strokes = lines.map(([x1, y1, x2, y2]) => `${decimal(x1)} ${decimal(y1)} m ${decimal(x2)} ${decimal(y2)} l S`)
  return `${MARK_WIDTH} w 0 G\n${strokes.join('\n')}`
}
