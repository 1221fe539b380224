import { html, type Html } from '../../../http/html.ts'
import { templates } from '../../../qr/print/template.ts'
import { printTexts } from '../../../texts/print.ts'
import { tryTexts } from '../../../texts/try.ts'
import { firstFault } from './faults.ts'
import { lengthsIn } from './lengths.ts'
import { LEAST_WIDTH, MOST_WIDTH } from '../try/size-words.ts'
import { queryOf, type PrintFields } from './query.ts'
import type { PrintView, Sheet } from './view.ts'

/** The page as it will be printed, and the ways to print it. The script replaces all of it when fields change. */
export function preview(view: PrintView): Html {
  const { sheet, language } = view
  const texts = printTexts[language]
  return html`<section class="print-preview" id="print-preview" aria-label="${texts.preview}" data-live>
    ${
      sheet === undefined
        ? html`<p class="print-none">${firstFault(view)}</p>`
        : html`${paper(view, sheet)} ${ways(view, sheet)} ${facts(view, sheet)}`
    }
  </section>`
}

function paper({ fields, language }: PrintView, { svg }: Sheet): Html {
  const { sheet, papers } = printTexts[language]
  // The service has drawn it: what owners wrote is escaped in it. The page says what the picture is, in its own language.
  const drawing: Html = { markup: svg.replaceAll(' role="img"><title>QR code</title>', '>') }
  return html`<div
    class="print-paper"
    data-paper="${fields.paper}"
    data-shape="${templates[fields.paper].shape}"
    ${templates[fields.paper].isCut && html`data-cut`}
    role="img"
    aria-label="${sheet(papers[fields.paper].name)}"
  >
    ${drawing}
  </div>`
}

function ways({ link, access, fields, language }: PrintView, { missing, codeWidth }: Sheet): Html {
  const texts = printTexts[language]
  const hasPdf = Object.values(missing).every((characters) => characters.length === 0)
  const { paper: name, placement } = fields
  const file = [link.code, placement, name].filter((part) => part !== undefined).join('-')
  return html`<p class="row print-ways">
      ${hasPdf && html`<a class="button" href="/${link.code}/print.pdf?${queryOf(fields)}" download="${file}.pdf">${texts.download}</a>`}
      <button type="button" ${hasPdf && html`class="plain"`} data-print hidden>${texts.browser}</button>
    </p>
    ${hasPdf && html`<p class="hint">${texts.actualSize}</p>`}
    <p class="hint" data-without-script>${texts.browserHint}</p>
    <p><a href="${access.page}/try?${tryQuery(fields, codeWidth)}">${tryTexts[language].link}</a></p>
    ${templates[name].folds.length > 0 && html`<p class="hint">${texts.folds}</p>`}`
}

/** The page that shows the same code in the same size, for a phone to read it from the screen. */
function tryQuery({ placement }: PrintFields, codeWidth: number): string {
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, Math.floor(codeWidth)))
  return new URLSearchParams({ mm: String(width), ...(placement !== undefined && { placement }) }).toString()
}

function facts({ language }: PrintView, { codeWidth, report }: Sheet): Html {
  const { facts: texts, tooNear, poor } = printTexts[language]
  const { wide, distanceOf } = lengthsIn(language)
  const { smallest_mm: least } = report.print
  const { modules } = report
  return html`<dl class="print-facts">
      <dt>${texts.size}</dt>
      <dd>${texts.sizeText(wide(codeWidth), distanceOf(codeWidth))}</dd>
      <dt>${texts.least}</dt>
      <dd>${texts.leastText(modules, wide(least), distanceOf(least))}</dd>
    </dl>
    ${report.scannability === 'poor' && html`<p class="note warning">${poor}</p>`}
    ${codeWidth < least && html`<p class="note warning">${tooNear(wide(least))}</p>`}`
}
