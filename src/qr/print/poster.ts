import { invalidRequest, Problem, REASON } from '../../http/problem.ts'
import type { DesignJob } from '../design/job.ts'
import type { Pixels } from '../design/scene-pdf.ts'
import { logoAlone } from '../design/scene-svg.ts'
import type { Scene } from '../design/scene.ts'
import { invisibleFault, type Style } from '../design/style.ts'
import type { Logo } from '../logo/logo.ts'
import type { CodeShape } from './code-size.ts'
import type { PrintFonts } from './fonts.ts'
import { composePage, type PrintPage } from './page.ts'
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
  const lacking = format === 'svg' ? undefined : missingIn(poster, fontOf)
  for (const name of textNames) {
    const invisible = invisibleText(poster[name], format)
    if (invisible !== undefined) throw invalidRequest([{ pointer: `/${name}`, detail: invisible }])
    const missing = lacking?.[name] ?? []
    if (missing.length === 0) continue
    throw notPrintable(`/${name}`, missing)
  }
}

/** @param missing the characters that no font of a page has, each once */
export function notPrintable(pointer: string, missing: string[]): Problem {
  const text = missing.join(' ')
  const detail = `has characters that the fonts of the page lack: ${text}`
  const errors = [{ pointer, detail, [REASON]: { name: 'unprintable', text } as const }]
  return new Problem('text_not_printable', `${pointer} ${detail}`, { errors })
}

/** What is invisible in a text. Browsers need such characters to join emoji, and to part or turn words of other scripts. */
export function invisibleText(text: string, format: 'pdf' | 'svg'): string | undefined {
  return invisibleFault(format === 'svg' ? text.replaceAll(/[\u200c-\u200f]/g, '') : text)
}

const textNames = ['title', 'text', 'address'] as const

/** The characters of texts that a PDF cannot have, each once. */
type Missing = Record<(typeof textNames)[number], string[]>

function missingIn(poster: Poster, fontOf: PrintFonts): Missing {
  const { headline, text } = typographies[poster.style]
  const missing = (name: keyof Missing) => [
    ...new Set(fontOf(name === 'title' ? headline : text).missing(poster[name])),
  ]
  return { title: missing('title'), text: missing('text'), address: missing('address') }
}

/** A page that was drawn. */
export interface DrawnPage {
  body: Uint8Array
  code: CodeShape
  /** The width of its code with its quiet zone, in millimetres. */
  codeWidth: number
  missing: Missing
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
): DrawnPage {
  const image = style.logo?.image
  const code = shapeOf(scene, style, columns)
  const content = { ...poster, code, logo: poster.logo ? image?.ratio : undefined }
  const compose = (faceOf: Parameters<typeof composePage>[3]) =>
    composePage(templates[poster.paper], typographies[poster.style], content, faceOf)
  const page = compose(format === 'svg' ? (name) => faceForBrowsers(fontOf(name)) : fontOf)
  const body =
    format === 'svg'
      ? Buffer.from(pageToSvg(page, scene, image, fontOf))
      : pageToPdf(page, scene, image && rasterizer.pixels(logoForPdf(image)), fontOf)
  return { body, code, codeWidth: widthOfCode(page, code), missing: missingIn(poster, fontOf) }
}

function widthOfCode({ faces }: PrintPage, { columns, quiet }: CodeShape): number {
  const width = faces[0]?.parts.find(({ kind }) => kind === 'code')
  return width === undefined || width.kind === 'text' ? 0 : (width.width / columns) * (columns + 2 * quiet)
}

/** The paper around a code is its quiet zone where the design leaves less, unless a frame is around it. */
export function shapeOf({ width, height }: Scene, { frame, margin }: Style, columns: number): CodeShape {
  return { ratio: height / width, columns, quiet: frame === undefined ? Math.max(0, STANDARD_MARGIN - margin) : 0 }
}

export function logoForPdf(image: Logo): string {
  return logoAlone(image, Math.round(LOGO_PIXELS * Math.min(1, image.ratio)))
}
