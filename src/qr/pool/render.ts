import { invalidRequest, Problem } from '../../http/problem.ts'
import type { Gray } from '../check/gray.ts'
import { gradeImage, TEST_SCALE } from '../check/stress-test.ts'
import { createReport } from '../check/report.ts'
import type { CheckedJob, DesignJob } from '../design/job.ts'
import type { PlainImage } from '../plain.ts'
import { encodeWithLogo, type SymbolWithLogo } from '../design/logo-placement.ts'
import { columnsOf, composeScene, type Scene } from '../design/scene.ts'
import type { Logo } from '../logo/logo.ts'
import { sceneToPdf } from '../design/scene-pdf.ts'
import { drawPoster, logoForPdf, requirePrintable, type PageJob } from '../print/poster.ts'
import { drawSheet, fitOnto, widestOn, type Paper } from '../design/sheet-pdf.ts'
import { logoAlone, sceneToSvg } from '../design/scene-svg.ts'
import type { Design } from '../design/schema.ts'
import { readStyle, type Style } from '../design/style.ts'
import { levels, type Level } from '../encoder/tables.ts'
import { density, insertChunk } from '../png/png.ts'
import type { DesignedImage } from './job.ts'
import type { Rasterizer } from './raster.ts'
import type { Tools } from './tools.ts'

/** Larger SVGs are checked at this width, about that of a screen. */
const MAX_CHECKED = 1024
const PDF_MM = 50
/** Modules of quiet zone that the standard requires. */
const STANDARD_MARGIN = 4

/**
 * Draws an image and checks that it can be scanned.
 * @throws {Problem} 400 for a design that cannot be drawn, or whose image cannot be read
 */
export async function renderDesign(job: DesignJob | PageJob, tools: Tools): Promise<DesignedImage> {
  const laidOut = layOut(job, tools)
  const { marked, style, scene } = laidOut
  checkLogo(style, job, tools)
  const page = 'poster' in job ? { ...job, fontOf: await tools.printFonts() } : undefined
  if (page) requirePrintable(page.poster, page.format, page.fontOf)
  const { gray, png } = photograph(scene, job, tools.rasterizer)
  const bytes = Buffer.from(job.text)
  const readsAsIs = await tools.reads(gray, bytes)
  const readable = await readableForTest(job, tools)
  if (!readsAsIs || readable === undefined) throw await explain(job, tools, readable !== undefined)
  const tested = await gradeImage(readable, (image) => tools.reads(image, bytes))
  const report = createReport(marked, style, { ...tested, ...(png && { scale: scene.symbol.scale }) })
  const columns = columnsOf(marked, style)
  const told = { level: marked.symbol.level, scannability: report.scannability, report }
  if (page === undefined) return { ...told, body: bodyOf(job, laidOut, png, tools) }
  const code = { scene, style, columns }
  const { body, ...drawn } = drawPoster(page.poster, page.format, code, { ...tools, fontOf: page.fontOf })
  return { ...told, body, page: drawn }
}

/** Pixels of a module of the image in which codes are read back when their links are created (`check.ts`). */
const CHECKED_SCALE = 3

/**
 * Draws an image, the same as `renderDesign`, in a fraction of its time: it is read back only where it has fewer pixels than the one
 * that was.
 * @throws {Problem} 400 for a design that cannot be drawn, or cannot be read as small as that
 */
export async function renderChecked(job: CheckedJob, tools: Tools): Promise<PlainImage> {
  const laidOut = layOut(job, tools)
  if (job.format === 'png' && laidOut.scene.symbol.scale < CHECKED_SCALE) return renderDesign(job, tools)
  const png = job.format === 'png' ? tools.rasterizer.drawPng(laidOut.scene) : undefined
  return { body: bodyOf(job, laidOut, png, tools), level: laidOut.marked.symbol.level }
}

/** Renders an image for the check: a PNG from the pixels that are returned. */
function photograph(
  scene: Scene,
  { format }: DesignJob,
  rasterizer: Rasterizer,
): { gray: Gray; png: Uint8Array | undefined } {
  if (format === 'png') return rasterizer.draw(scene)
  return { gray: rasterizer.photograph(sceneToSvg(scene), Math.min(scene.width, MAX_CHECKED)), png: undefined }
}

interface LaidOut {
  marked: SymbolWithLogo
  style: Style
  scene: Scene
}

function layOut(job: DesignJob | PageJob, tools: Tools): LaidOut {
  const { text, design, at, size, margin, level, boost = true, format, isSaved: mayShrink = false } = job
  const read = readStyle(design, at, tools)
  const style = {
    ...read,
    margin: margin ?? read.margin,
    level: highest(level, design.ecl) ?? read.level,
  }
  const marked = encodeWithLogo(tools.encode, text, style, { boost, at, mayShrink })
  const scene = composeScene(marked, style, {
    // A PDF has no pixels: it is laid out with as many as make whole modules without a remainder.
    size: format === 'pdf' || 'poster' in job ? columnsOf(marked, style) * TEST_SCALE : size,
    text,
    font: tools.font,
  })
  return { marked, style, scene }
}

function highest(...wanted: (Level | undefined)[]): Level | undefined {
  return levels.findLast((level) => wanted.includes(level))
}

/** The image at the fixed size of the stress test; undefined when it cannot be read even without stress. */
async function readableForTest(job: DesignJob, tools: Tools): Promise<Gray | undefined> {
  const { scene } = layOut({ ...job, format: 'pdf' }, tools)
  const gray = tools.rasterizer.photograph(sceneToSvg(scene), scene.width)
  return (await tools.reads(gray, Buffer.from(job.text))) ? gray : undefined
}

/** Fields of a design that can make an image unreadable, the likeliest first. */
const suspects: (keyof Design)[][] = [
  ['logo'],
  ['fg', 'gradient', 'bg'],
  ['eye_frame_color', 'eye_ball_color'],
  ['shape'],
  ['eye_frame'],
  ['eye_ball'],
  ['margin'],
  ['frame'],
]

/** Finds the field without which the image can be scanned. */
export async function explain(job: DesignJob, tools: Tools, readsLarger: boolean): Promise<Problem> {
  if (readsLarger)
    return unscannable('/size', 'is too small for this design: the image can only be read when it is larger')
  if (job.margin !== undefined && (await passes({ ...job, margin: STANDARD_MARGIN }, tools)))
    return unscannable('/margin', `must be larger: with ${STANDARD_MARGIN} the image can be read`)
  for (const names of suspects) {
    const chosen = names.filter((name) => job.design[name] !== undefined)
    if (chosen.length === 0) continue
    const design = Object.fromEntries(
      Object.entries(job.design).filter(([name]) => !chosen.includes(name as keyof Design)),
    )
    if (await passes({ ...job, design }, tools)) {
      return unscannable(
        `${job.at}/${chosen[0]}`,
        `must be changed: without ${chosen.join(', ')} the image can be read`,
      )
    }
  }
  return unscannable(job.at, 'cannot be read: more than one field must be changed')
}

/** Whether a variant can be drawn and read. */
async function passes(job: DesignJob, tools: Tools): Promise<boolean> {
  const readable = await readableForTest(job, tools).catch((error: unknown) => {
    if (error instanceof Problem) return undefined
    throw error
  })
  return readable !== undefined
}

function unscannable(pointer: string, detail: string): Problem {
  return new Problem('unscannable', `${pointer} ${detail}`, { errors: [{ pointer, detail }] })
}

/**
 * Draws a logo alone. The renderer traps on some drawings, such as one outside of its viewBox; the thread cannot be used again then.
 * @throws {Problem} 400 when it cannot be drawn
 */
export function drawLogo<T>(image: Logo, at: string, width: number, draw: (svg: string) => T): T {
  try {
    return draw(logoAlone(image, width))
  } catch (error) {
    throw new Problem('invalid_request', `${at}/logo/image ${UNDRAWABLE}`, {
      errors: [{ pointer: `${at}/logo/image`, detail: UNDRAWABLE }],
      cause: error,
    })
  }
}

const UNDRAWABLE = 'cannot be drawn: it is damaged or empty'

/** The renderer ignores an image that it cannot decode, which is refused instead. */
function checkLogo({ logo }: Style, { at }: DesignJob, { rasterizer }: Tools): void {
  if (logo === undefined) return
  const { rgba } = drawLogo(logo.image, at, 64, rasterizer.pixels)
  const opacities = rgba.filter((_, index) => index % 4 === 3)
  const isDrawn =
    logo.image.type === 'jpeg' ? opacities.every((each) => each === 255) : opacities.some((each) => each > 0)
  if (!isDrawn) throw invalidRequest([{ pointer: `${at}/logo/image`, detail: UNDRAWABLE }])
}

function bodyOf(
  { format, dpi, millimetres = PDF_MM, sheet }: DesignJob,
  { scene, style }: LaidOut,
  png: Uint8Array | undefined,
  { rasterizer }: Tools,
): Uint8Array {
  if (format === 'svg') return Buffer.from(sceneToSvg(scene))
  if (png !== undefined) return dpi === undefined ? png : insertChunk(Buffer.from(png), 'pHYs', density(dpi))
  const logo = style.logo && rasterizer.pixels(logoForPdf(style.logo.image))
  if (sheet === undefined) return sceneToPdf(scene, millimetres, logo)
  requireFit(scene, millimetres, sheet)
  return sceneToPdf(scene, millimetres, logo, (pdf, code) => drawSheet(pdf, code, sheet))
}

/** @throws {Problem} 400 when not even one copy fits onto the sheet */
function requireFit({ width, height }: Scene, millimetres: number, sheet: Paper): void {
  const [columns, rows] = fitOnto(sheet, millimetres, (millimetres * height) / width)
  if (columns > 0 && rows > 0) return
  const most = Math.floor(widestOn(sheet, height / width))
  throw invalidRequest([{ pointer: '/width_mm', detail: `must be at most ${most} for a sheet of ${sheet}` }])
}
