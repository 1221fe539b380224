import { deserialize, serialize } from 'node:v8'
import { invalidRequest, Problem, REASON, type FieldError } from '../../http/problem.ts'
import { encodeWithLogo } from '../design/logo-placement.ts'
import { columnsOf, composeScene } from '../design/scene.ts'
import { invisibleFault, readStyle, type Style, type Supplies } from '../design/style.ts'
import type { EncodeText } from '../matrix.ts'
import { lineOf } from './embedded-fonts.ts'
import type { PrintFonts } from './fonts.ts'
import { labelTemplate } from './label-template.ts'
import { composePage, type Part, type PrintPage } from './page.ts'
import { formOf, type CodeForm } from './page-pdf.ts'
import { notPrintable, shapeOf } from './poster.ts'
import type { LogoShape, SheetCode, SheetLayout, SheetPartJob } from './sheet-job.ts'
import { templates, typographies, type Template } from './template.ts'

/** What the codes of sheets are drawn with. */
export interface PartTools extends Supplies {
  encode: EncodeText
  fontOf: PrintFonts
}

/** Pixels of a module of the scene; a PDF has none, but whole modules. */
const SCALE = 8

/** A code with what is printed with it. */
export interface PrintedCode {
  page: PrintPage
  form: CodeForm
  design: number | undefined
}

export interface DrawnPart {
  /** What `readPart` reads: nothing between the threads needs to look into it, and its length is what it takes. */
  body: Uint8Array
  /** Of each code: why it cannot be printed; undefined when it can. */
  faults: (Problem | undefined)[]
}

/**
 * Draws some codes of a sheet: all that takes long, so that others have their turn between two parts. Whether they can be scanned must
 * have been checked.
 */
export function drawPart(job: SheetPartJob, tools: PartTools): DrawnPart {
  const styles = new Map<number | undefined, Style>([[undefined, readStyle({}, '', tools)]])
  for (const [index, { design, logo }] of job.designs)
    styles.set(index, readStyle(design, '', suppliesFor(logo, tools)))
  const faults: DrawnPart['faults'] = []
  const printed = job.part.flatMap((code) => {
    try {
      const drawn = drawCode(code, job, styles, tools)
      faults.push(undefined)
      return [drawn]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      faults.push(faultOf(code, error, job.onto))
      return []
    }
  })
  return { body: serialize(printed), faults }
}

/** The codes of a part that a thread of the program has drawn. */
export function readPart(body: Uint8Array): PrintedCode[] {
  return deserialize(body) as PrintedCode[]
}

function drawCode(
  { design, ...code }: SheetCode,
  job: SheetPartJob,
  styles: ReadonlyMap<number | undefined, Style>,
  tools: PartTools,
): PrintedCode {
  const style = styles.get(design)
  if (style === undefined) throw new Error('a part of a sheet lacks the design of a code')
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
  const page = composePage(templateOf(job.onto, code), typographies[job.style], content, tools.fontOf)
  const logo = design === undefined ? undefined : job.designs.get(design)?.logo
  return { page: withLines(page, tools.fontOf), form: formOf(scene, logo), design }
}

/** What a design is read with whose logo was drawn: to read that again could take as long as for all codes, for each design. */
function suppliesFor(logo: LogoShape | undefined, tools: Supplies): Supplies {
  if (logo === undefined) return tools
  const { ratio, width, height } = logo
  return { ...tools, readLogo: () => ({ type: 'png', base64: '', ratio, width, height, orientation: 1 }) }
}

function templateOf(onto: SheetLayout, { caption }: Pick<SheetCode, 'caption'>): Template {
  return onto.kind === 'pages' ? templates[onto.paper] : labelTemplate(onto.format, caption !== '')
}

/** Sets the glyphs of the texts of a page. */
function withLines(page: PrintPage, fontOf: PrintFonts): PrintPage {
  const withLine = (part: Part): Part =>
    part.kind === 'text' ? { ...part, line: lineOf(fontOf(part.font), part.text) } : part
  return { ...page, faces: page.faces.map((face) => ({ ...face, parts: face.parts.map(withLine) })) }
}

/** What is wrong with a code, by the field of a request for sheets. */
function faultOf({ name }: SheetCode, { code, errors, message }: Problem, onto: SheetLayout): Problem {
  const [first] = errors
  const isText = first?.pointer === '/title' || first?.pointer === '/text'
  const pointer = isText ? '/text' : onto.kind === 'labels' ? '/labels' : '/paper'
  const reason = first?.[REASON]
  const error: FieldError = {
    pointer,
    detail: `of ${name}: ${first?.detail ?? message}`,
    ...(reason && { [REASON]: { ...reason, of: name } }),
  }
  return new Problem(code, `${pointer} ${error.detail}`, { errors: [error] })
}

/** @throws {Problem} 400 for characters that are invisible, or that the headline's font lacks */
function requireSettable(caption: string, { style }: SheetPartJob, { fontOf }: PartTools): void {
  const invisible = invisibleFault(caption)
  if (invisible !== undefined)
    throw invalidRequest([{ pointer: '/text', detail: invisible, [REASON]: { name: 'invisible' } }])
  const missing = [...new Set(fontOf(typographies[style].headline).missing(caption))]
  if (missing.length > 0) throw notPrintable('/text', missing)
}
