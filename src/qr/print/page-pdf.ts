import { decimal } from '../design/path.ts'
import { createPdf, endPdf, type PdfFile, type PdfPage } from '../design/pdf-file.ts'
import { addImage, drawScene, showImage, type EmbeddedImage, type Pixels } from '../design/scene-pdf.ts'
import type { Scene } from '../design/scene.ts'
import { POINTS_PER_MM } from '../design/sheet-pdf.ts'
import { createEmbeddedFonts, type EmbeddedFonts } from './embedded-fonts.ts'
import type { PrintFonts } from './fonts.ts'
import type { Part, PrintPage } from './page.ts'
import { BLEED, MARK, type Template } from './template.ts'

/** The distance of marks from what bleeds, so that no mark is on what is cut out. */
const MARK_GAP = 1
const MARK_WIDTH = 0.1
/** Marks for folds stand this far inside the edge, which office printers cannot print on. */
const FOLD_EDGE = 6
const FOLD_MARK = 5

/** What is drawn on each page of a file. */
export interface PageInks {
  pdf: PdfFile
  fonts: EmbeddedFonts
  fontOf: PrintFonts
}

/**
 * A page as a PDF file: vectors, except for a bitmap logo; black is that of the black ink alone (DeviceGray).
 * @param logo the pixels of the scene's logo
 */
export function pageToPdf(page: PrintPage, scene: Scene, logo: Pixels | undefined, fontOf: PrintFonts): Buffer {
  const pdf = createPdf()
  const inks = { pdf, fonts: createEmbeddedFonts(pdf), fontOf }
  const drawn = drawPage(inks, page, scene, logo && addImage(pdf, logo))
  const fonts = inks.fonts.embed()
  return endPdf(pdf, [{ ...drawn, resources: drawn.resources + fonts }], { title: 'QR code', subject: scene.text })
}

function drawPage(
  inks: PageInks,
  { template, faces }: PrintPage,
  scene: Scene,
  logo: EmbeddedImage | undefined,
): PdfPage {
  const { width, height, isCut } = template
  const margin = isCut ? BLEED + MARK_GAP + MARK : 0
  const { form, size } = addCode(inks.pdf, scene, logo)
  const content = [
    // From millimetres with the origin in the upper left of what is cut out, to points with the origin in the lower left of the page.
    `${[1, 0, 0, -1, margin, height + margin].map((each) => fine(each * POINTS_PER_MM)).join(' ')} cm 0 g`,
    ...faces.map((face) => {
      const place = face.isTurned
        ? [-1, 0, 0, -1, face.x + face.width, face.y + face.height]
        : [1, 0, 0, 1, face.x, face.y]
      const parts = face.parts.map((part) => drawPart(inks, part, size, logo))
      return `q ${place.map(decimal).join(' ')} cm\n${parts.join('\n')}\nQ`
    }),
    drawMarks(template),
  ].join('\n')
  const logoEntry = logo === undefined ? '' : `/Logo ${logo.reference}`
  const boxOf = (around: number) =>
    [margin - around, margin - around, margin + width + around, margin + height + around].map(
      (each) => each * POINTS_PER_MM,
    )
  return {
    content: Buffer.from(content, 'latin1'),
    resources: `/XObject<</Code ${form}${logoEntry}>>`,
    media: boxOf(margin),
    trim: boxOf(0),
    bleed: boxOf(isCut ? BLEED : 0),
  }
}

/** Adds the code once, for all places that show it. */
export function addCode(pdf: PdfFile, scene: Scene, logo: EmbeddedImage | undefined) {
  const drawing = drawScene(pdf, scene, scene.width, logo)
  const bounds = `[0 0 ${decimal(drawing.width)} ${decimal(drawing.height)}]`
  const form = pdf.addStream(
    `/Type/XObject/Subtype/Form/BBox${bounds}/Resources<<${drawing.resources}>>`,
    drawing.content,
  )
  return { form, size: { width: drawing.width, height: drawing.height } }
}

function drawPart(
  { fonts, fontOf }: PageInks,
  part: Part,
  code: { width: number; height: number },
  logo: EmbeddedImage | undefined,
): string {
  if (part.kind === 'text') {
    const shown = fonts.show(fontOf(part.font), part.text, part)
    return part.isWhite ? `q 1 g ${shown} Q` : shown
  }
  const { x, y, width, height } = part
  if (part.kind === 'black') return `${[x, y, width, height].map(decimal).join(' ')} re f`
  if (part.kind === 'logo') return logo === undefined ? '' : showImage('Logo', logo, part)
  return `q ${[width / code.width, 0, 0, -height / code.height, x, y + height].map(fine).join(' ')} cm /Code Do Q`
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
