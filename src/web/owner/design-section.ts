import { html, type Html } from '../../http/html.ts'
import { designerTexts, type DesignerTexts } from '../../texts/designer.ts'
import { foldedSection } from './folded.ts'
import { imagePath } from '../image-path.ts'
import { sectionMessage } from './message.ts'
import type { Notice, OwnerView } from './view.ts'
import { DESIGN_FORM, designForm } from '../designer/form.ts'
import { lookForm } from '../look-form.ts'
import { poorVerdict } from '../designer/verdict.ts'
import type { Language } from '../../texts/language.ts'

const PRINT_DPI = 300
const MM_PER_INCH = 25.4

/** The section of the owner's page in which the QR code is designed and downloaded. */
export function designSection(
  { link, access, formKey, design, preview, pictures, language }: OwnerView,
  notice?: Notice,
): Html {
  const texts = designerTexts[language]
  const verdict = poorVerdict(design, language)
  const isOpen = notice?.at === 'design'
  return foldedSection(
    { id: 'design', title: texts.heading, isOpen },
    html`${isOpen && designMessage(notice, texts.saveAnyway)}
      <div class="card">
        <h3>${texts.downloads}</h3>
        ${verdict !== undefined && html`<p class="note warning">${verdict} ${texts.poorDownloads}</p>`}
        ${downloads(link.code, language)}
      </div>
      <div class="card">
        ${designForm(design, { language, action: `${access.page}#design`, formKey, revision: link.revision, image: imagePath(link), refused: notice?.design, preview, pictures })}
      </div>
      ${design !== undefined && access.collection !== undefined && lookForm({ collection: access.collection, code: link.code, formKey }, language)}`,
  )
}

/** What became of the form; a poor design can be saved from here, far above the form's own button. */
function designMessage(notice: Notice, saveAnyway: string): Html {
  return html`${sectionMessage(notice)}
  ${
    notice.design?.isPoor &&
    html`<p><button form="${DESIGN_FORM}" name="poor" value="yes" class="plain">${saveAnyway}</button></p>`
  }`
}

interface Download {
  label: string
  /** The path below the code, with its query. */
  path: string
  /** The name of the saved file. */
  file: string
}

/** The images of a link by what they are for. */
function downloads(code: string, language: Language): Html {
  const texts = designerTexts[language]
  const groups = [
    { name: texts.forScreen, hint: texts.forScreenHint, files: forScreen(code, texts) },
    { name: texts.forPrint, hint: texts.forPrintHint, files: forPrint(code, texts) },
    { name: texts.forDesign, hint: texts.forDesignHint, files: forDesign(code) },
    { name: texts.forSheet, hint: texts.forSheetHint, files: sheets(code, texts) },
  ]
  return html`<div class="downloads">
    ${groups.map(
      ({ name, hint, files }) =>
        html`<section>
          <h4>${name}</h4>
          <p class="hint">${hint}</p>
          <ul>
            ${files.map(({ label, path, file }) => html`<li><a href="/${code}/${path}" download="${file}">${label}</a></li>`)}
          </ul>
        </section>`,
    )}
  </div>`
}

function forScreen(code: string, texts: DesignerTexts): Download[] {
  return [512, 1024, 2048].map((size) => ({
    label: `PNG, ${texts.pixels(size)}`,
    path: `qr.png?size=${size}`,
    file: `${code}-${size}px.png`,
  }))
}

function forPrint(code: string, texts: DesignerTexts): Download[] {
  return [30, 50, 100].map((width) => ({
    label: texts.millimetres(width),
    path: `qr.png?size=${Math.round((width / MM_PER_INCH) * PRINT_DPI)}&dpi=${PRINT_DPI}`,
    file: `${code}-${width}mm.png`,
  }))
}

function forDesign(code: string): Download[] {
  return [
    { label: 'SVG', path: 'qr.svg', file: `${code}.svg` },
    { label: 'PDF', path: 'qr.pdf', file: `${code}.pdf` },
  ]
}

function sheets(code: string, texts: DesignerTexts): Download[] {
  return (
    [
      ['A4', 'a4', 40],
      ['A4', 'a4', 60],
      ['Letter', 'letter', 40],
    ] as const
  ).map(([paper, name, width]) => ({
    label: texts.sheetOf(paper, width),
    path: `qr.pdf?sheet=${name}&width_mm=${width}`,
    file: `${code}-${name}-${width}mm.pdf`,
  }))
}
