import { decimal } from '../design/path.ts'
import type { PdfPage } from '../design/pdf-file.ts'
import { addImage, type EmbeddedImage } from '../design/scene-pdf.ts'
import { readPart } from './draw-part.ts'
import type { PrintFonts } from './fonts.ts'
import { paperSizes } from './labels.ts'
import type { PrintPage } from './page.ts'
import { addCode, createPagesFile, drawFaces, drawPage, endPages, pageOf, xObjects } from './page-pdf.ts'
import type { EmbeddedCode, NamedCode, PagesFile } from './page-pdf.ts'
import { placeOf, safeAreaOf } from './sheet.ts'
import type { SheetJob, SheetLayout } from './sheet-job.ts'

/** A code of the file with what is printed with it. */
interface Embedded {
  page: PrintPage
  code: EmbeddedCode
}

/** Puts codes that were drawn in parts onto sheets of labels, or each onto a page of its own. */
export function drawSheet(job: SheetJob, fontOf: PrintFonts): Uint8Array {
  const file = createPagesFile(fontOf)
  const logos: EmbeddedImage[] = []
  const logoOf = (design: number) => {
    const logo = job.logos[design]
    return logo && (logos[design] ??= addImage(file.pdf, logo))
  }
  const embedded = job.parts.flatMap(readPart).map(({ page, form, design }) => {
    const logo = design === undefined ? undefined : logoOf(design)
    return { page, code: addCode(file.pdf, form, logo) }
  })
  const title = `QR codes (${embedded.length})`
  return endPages(file, pagesOf(file, job.onto, embedded), { title })
}

function pagesOf(file: PagesFile, onto: SheetLayout, embedded: Embedded[]): PdfPage[] {
  if (onto.kind === 'pages') return embedded.map(({ page, code }) => drawPage(file, page, code))
  const area = safeAreaOf(onto.format)
  const pages: { content: string[]; codes: NamedCode[] }[] = []
  for (const [at, { page, code }] of embedded.entries()) {
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
