import { invalidRequest, Problem } from '../../http/problem.ts'
import type { DesignJob } from '../design/job.ts'
import type { Pixels } from '../design/scene-pdf.ts'
import { logoAlone } from '../design/scene-svg.ts'
import type { Scene } from '../design/scene.ts'
import { invisibleFault, type Style } from '../design/style.ts'
import type { Logo } from '../logo/logo.ts'
import type { PrintFonts } from './fonts.ts'
import { composePage, type CodeShape } from './page.ts'
import { pageToPdf } from './page-pdf.ts'
import { faceForBrowsers, pageToSvg } from './page-svg.ts'
import { templates, typographies, type TemplateName, type TypographyName } from './template.ts'

/** A page to print with the code of a link. */
export interface Poster {
  paper: TemplateName
  style: TypographyName
  /** Empty for none, as the other texts. */
  title: string
  text: string
  address: string
  /** Whether the logo of the design stands above the title as well. */
  logo: boolean
}

/** A page to draw; its code is checked like any design. */
export interface PageJob extends DesignJob {
  format: 'pdf' | 'svg'
  poster: Poster
}

const STANDARD_MARGIN = 4
/** Pixels of the longer side of a bitmap logo. */
const LOGO_PIXELS = 800

/**
 * Refuses a text before anything is drawn for it.
 * @param format fonts of browsers set the texts of an SVG that ours lack
 * @throws {Problem} 400 for invisible characters, and for those that no font of a PDF has
 */
export function requirePrintable(poster: Poster, format: 'pdf' | 'svg', fontOf: PrintFonts): void {
  const { headline, text } = typographies[poster.style]
  for (const [name, font] of [
    ['title', headline],
    ['text', text],
    ['address', text],
  ] as const) {
    const written = poster[name]
    const invisible = invisibleFault(format === 'svg' ? written.replaceAll('\u200d', '') : written)
    if (invisible !== undefined) throw invalidRequest([{ pointer: `/${name}`, detail: invisible }])
    const missing = format === 'svg' ? [] : [...new Set(fontOf(font).missing(written))]
    if (missing.length === 0) continue
    const detail = `has characters that the fonts of the page lack: ${missing.join(' ')}`
    throw new Problem('text_not_printable', `/${name} ${detail}`, { errors: [{ pointer: `/${name}`, detail }] })
  }
}

export interface PosterCode {
  scene: Scene
  style: Style
  /** Modules from edge to edge. */
  columns: number
}

/** Draws a page to print. @throws {Problem} 400 when something does not fit */
export function drawPoster(
  poster: Poster,
  format: 'pdf' | 'svg',
  { scene, style, columns }: PosterCode,
  { fontOf, rasterizer }: { fontOf: PrintFonts; rasterizer: { pixels: (svg: string) => Pixels } },
): Uint8Array {
  const image = style.logo?.image
  const content = { ...poster, code: shapeOf(scene, style, columns), logo: poster.logo ? image?.ratio : undefined }
  const [template, typography] = [templates[poster.paper], typographies[poster.style]]
  if (format === 'svg') {
    const page = composePage(template, typography, content, (name) => faceForBrowsers(fontOf(name)))
    return Buffer.from(pageToSvg(page, scene, image, fontOf))
  }
  const page = composePage(template, typography, content, fontOf)
  return pageToPdf(page, scene, image && rasterizer.pixels(logoForPdf(image)), fontOf)
}

/** The paper around a code is its quiet zone where the design leaves less, unless a frame is around it. */
export function shapeOf({ width, height }: Scene, { frame, margin }: Style, columns: number): CodeShape {
  return { ratio: height / width, columns, quiet: frame === undefined ? Math.max(0, STANDARD_MARGIN - margin) : 0 }
}

export function logoForPdf(image: Logo): string {
  return logoAlone(image, Math.round(LOGO_PIXELS * Math.min(1, image.ratio)))
}
