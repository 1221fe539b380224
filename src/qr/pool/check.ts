import { Problem } from '../../http/problem.ts'
import { toBase64 } from '../../lib/bytes.ts'
import { TEST_SCALE } from '../check/stress-test.ts'
import type { CheckJob } from '../design/job.ts'
import { encodeWithLogo } from '../design/logo-placement.ts'
import { columnsOf, composeScene } from '../design/scene.ts'
import { encodeImage } from '../design/scene-pdf.ts'
import { sceneToSvg } from '../design/scene-svg.ts'
import { readStyle, type Style } from '../design/style.ts'
import { logoForPdf } from '../print/poster.ts'
import { toRefusal, type CodeFaults, type Refusal } from './job.ts'
import { drawLogo, explain } from './render.ts'
import type { Tools } from './tools.ts'

/** Pixels of a module of the image that is read first: a reader that finds the code in it finds it in a larger one, which takes twice as long. */
const QUICK_SCALE = 3
/** Pixels of a square logo: about what it has in a code of the checked size. */
const LOGO_SIDE = 96
/** Pixels of a logo's side at most. */
const MAX_LOGO_SIDE = 512

/**
 * Checks that each of some codes can be scanned with a design. A code is drawn small and read back, and as large as for the stress test
 * where that fails. It is not graded, and the logo is drawn once for all, so that one takes a tenth of an image's time.
 * @throws {Problem} 400 for a design that no code can have
 */
export async function checkCodes(job: CheckJob, tools: Tools): Promise<CodeFaults> {
  const { texts, design, at, isSaved = false } = job
  const read = readStyle(design, at, tools)
  const style = withDrawnLogo(read, at, tools)
  const faults: CodeFaults['faults'] = []
  let unscannable: Refusal | undefined
  for (const text of texts) {
    const read = await orRefusal(() => isReadable(text, style, { at, mayShrink: isSaved }, tools))
    // What is wrong with one code is so with the next: to find it takes as long as ten codes.
    if (read === false) unscannable ??= await explanationOf({ texts: [text], design, at }, tools)
    faults.push(read === true ? undefined : read === false ? unscannable : read)
  }
  if (job.wantsLogo !== true || read.logo === undefined) return { faults }
  const { image } = read.logo
  return { faults, logo: { ...encodeImage(tools.rasterizer.pixels(logoForPdf(image))), ratio: image.ratio } }
}

async function isReadable(
  text: string,
  style: Style,
  how: { at: string; mayShrink: boolean },
  tools: Tools,
): Promise<boolean> {
  const marked = encodeWithLogo(tools.encode, text, style, { boost: true, ...how })
  for (const scale of [QUICK_SCALE, TEST_SCALE]) {
    const size = columnsOf(marked, style) * scale
    const scene = composeScene(marked, style, { size, text, font: tools.font })
    const gray = tools.rasterizer.photograph(sceneToSvg(scene), scene.width)
    if (await tools.reads(gray, Buffer.from(text))) return true
  }
  return false
}

async function explanationOf({ texts: [text = ''], design, at }: CheckJob, tools: Tools): Promise<Refusal> {
  return toRefusal(await explain({ text, design, at, format: 'svg', size: 1024 }, tools, false))
}

/** A style whose logo is a bitmap: a logo of many curves takes as long to draw as a hundred codes. */
function withDrawnLogo(style: Style, at: string, { rasterizer }: Tools): Style {
  if (style.logo === undefined) return style
  const { image } = style.logo
  const width = Math.round(Math.min(MAX_LOGO_SIDE, Math.max(1, LOGO_SIDE * Math.sqrt(image.ratio))))
  const png = drawLogo(image, at, width, rasterizer.png)
  const height = Math.max(1, Math.round(width / image.ratio))
  const drawn = { type: 'png', base64: toBase64(png), ratio: image.ratio, width, height, orientation: 1 } as const
  return { ...style, logo: { ...style.logo, image: drawn } }
}

async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return toRefusal(error)
    throw error
  }
}
