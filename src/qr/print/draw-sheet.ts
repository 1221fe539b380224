import { invalidRequest, MAX_ERRORS, Problem, REASON, type FieldError } from '../../http/problem.ts'
import { encodeWithLogo } from '../design/logo-placement.ts'
import { columnsOf, composeScene } from '../design/scene.ts'
import { addImage, type EmbeddedImage } from '../design/scene-pdf.ts'
import { invisibleFault, readStyle, type Supplies } from '../design/style.ts'
import { decimal } from '../design/path.ts'
import type { PdfPage } from '../design/pdf-file.ts'
import type { EncodeText } from '../matrix.ts'
import type { PrintFonts } from './fonts.ts'
import { labelTemplate } from './label-template.ts'
import { paperSizes } from './labels.ts'
import { composePage, type PrintPage } from './page.ts'
import { addCode, createPagesFile, drawFaces, drawPage, endPages, pageOf, xObjects } from './page-pdf.ts'
import type { EmbeddedCode, NamedCode, PagesFile } from './page-pdf.ts'
import { notPrintable, shapeOf } from './poster.ts'
import { placeOf, safeAreaOf } from './sheet.ts'
import type { DrawnLogo, SheetCode, SheetJob, SheetLayout } from './sheet-job.ts'
import { templates, typographies, type Template } from './template.ts'

/** What sheets are drawn with. */
export interface SheetTools extends Supplies {
  encode: EncodeText
  fontOf: PrintFonts
}

/** Pixels of a module of the scene; a PDF has none, but whole modules. */
const SCALE = 8

/** A code with what is printed with it. */
interface Composed {
  page: PrintPage
  code: EmbeddedCode
}

/**
 * Draws codes onto sheets of labels, or each onto a page of its own. Whether they can be scanned must have been checked.
 * @throws {Problem} 400 with every code that does not fit, or whose text cannot be printed
 */
export function drawSheet(job: SheetJob, tools: SheetTools): Uint8Array {
  const file = createPagesFile(tools.fontOf)
  const styles = job.designs.map((design, at) => readStyle(design, '', suppliesFor(job.logos[at], tools)))
  const logos: EmbeddedImage[] = []
  const logoOf = (design: number) => {
    const logo = job.logos[design]
    return logo && (logos[design] ??= addImage(file.pdf, logo))
  }
  const plain = readStyle({}, '', tools)
  const compose = ({ design = -1, ...code }: SheetCode): Composed => {
    const style = styles[design] ?? plain
    const marked = encodeWithLogo(tools.encode, code.text, style, { boost: true, at: '', mayShrink: true })
    const columns = columnsOf(marked, style)
    const scene = composeScene(marked, style, { size: columns * SCALE, text: code.text, font: tools.font })
    requireSettable(code.caption, job, tools)
    const content = {
      title: code.caption,
      text: '',
      address: code.address,
      code: shapeOf(scene, style, columns),
      logo: undefined,
    }
    const template = templateOf(job.onto, code)
    const page = composePage(template, typographies[job.style], content, tools.fontOf)
    return { page, code: addCode(file.pdf, scene, logoOf(design)) }
  }
  const composed = composeAll(job, compose)
  const title = `QR codes (${composed.length})`
  return endPages(file, pagesOf(file, job.onto, composed), { title })
}

/** What a design is read with whose logo was drawn: to read that again could take as long as for all codes, for each design. */
function suppliesFor(logo: DrawnLogo | undefined, tools: Supplies): Supplies {
  if (logo === undefined) return tools
  const { ratio, width, height } = logo
  return { ...tools, readLogo: () => ({ type: 'png', base64: '', ratio, width, height, orientation: 1 }) }
}

function templateOf(onto: SheetLayout, { caption }: Pick<SheetCode, 'caption'>): Template {
  return onto.kind === 'pages' ? templates[onto.paper] : labelTemplate(onto.format, caption !== '')
}

/** Composes each code. @throws {Problem} 400 that names each of those that cannot be */
function composeAll({ codes, onto }: SheetJob, compose: (code: SheetCode) => Composed): Composed[] {
  const errors: FieldError[] = []
  let code: Problem['code'] | undefined
  const composed = codes.flatMap((each) => {
    if (errors.length >= MAX_ERRORS) return []
    try {
      return [compose(each)]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      code ??= error.code
      errors.push(faultOf(each, error, onto))
      return []
    }
  })
  if (code === undefined) return composed
  if (code === 'invalid_request') throw invalidRequest(errors)
  throw new Problem(code, `${errors[0]?.pointer} ${errors[0]?.detail}`, { errors })
}

/** What is wrong with a code, by the field of a request for sheets. */
function faultOf({ name }: SheetCode, { errors, message }: Problem, onto: SheetLayout): FieldError {
  const [first] = errors
  const isText = first?.pointer === '/title' || first?.pointer === '/text'
  const pointer = isText ? '/text' : onto.kind === 'labels' ? '/labels' : '/paper'
  const reason = first?.[REASON]
  return {
    pointer,
    detail: `of ${name}: ${first?.detail ?? message}`,
    ...(reason && { [REASON]: { ...reason, of: name } }),
  }
}

/** @throws {Problem} 400 for characters that are invisible, or that the headline's font lacks */
function requireSettable(caption: string, { style }: SheetJob, { fontOf }: SheetTools): void {
  const invisible = invisibleFault(caption)
  if (invisible !== undefined)
    throw invalidRequest([{ pointer: '/text', detail: invisible, [REASON]: { name: 'invisible' } }])
  const missing = [...new Set(fontOf(typographies[style].headline).missing(caption))]
  if (missing.length > 0) throw notPrintable('/text', missing)
}

function pagesOf(file: PagesFile, onto: SheetLayout, composed: Composed[]): PdfPage[] {
  if (onto.kind === 'pages') return composed.map(({ page, code }) => drawPage(file, page, code))
  const area = safeAreaOf(onto.format)
  const pages: { content: string[]; codes: NamedCode[] }[] = []
  for (const [at, { page, code }] of composed.entries()) {
    const place = placeOf(onto, at)
    const sheet = (pages[place.page] ??= { content: [], codes: [] })
    const named = { code, name: `C${sheet.codes.length}` }
    sheet.codes.push(named)
    sheet.content.push(
      `q 1 0 0 1 ${decimal(place.x + area.x)} ${decimal(place.y + area.y)} cm\n${drawFaces(file, page, named)}\nQ`,
    )
  }
  return pages.map(({ content, codes }) => ({
    ...pageOf(paperSizes[onto.format.paper], content.join('\n')),
    resources: xObjects(codes),
  }))
}
