import { html, type Html } from '../../../http/html.ts'
import { largestSquare, leastWidth, sizeInSquare } from '../../../qr/print/code-size.ts'
import { templates, type Template, type TemplateName } from '../../../qr/print/template.ts'
import { printTexts } from '../../../texts/print.ts'
import { takes } from './faults.ts'
import { lengthsIn } from './lengths.ts'
import type { PrintView } from './view.ts'

/** What a code can be printed on, each with a picture and the size that the code has there. */
export function paperChoice(view: PrintView): Html {
  const { fields, language } = view
  const { papers } = printTexts[language]
  const names = Object.keys(templates) as TemplateName[]
  return html`<div class="print-cards">
    ${names.map((name) => {
      const { name: title, use } = papers[name]
      return html`<label class="print-card"
        ><input
          type="radio"
          name="paper"
          value="${name}"
          aria-describedby="print-on-${name} print-fault-paper"
          ${name === fields.paper && html` checked`}
        />
        ${picture(templates[name])}
        <span class="print-card-words">
          <b>${title}</b> <small>${use}</small> <small id="print-on-${name}" data-live>${sizeOn(view, name)}</small>
        </span></label
      >`
    })}
  </div>`
}

/** How large the code is on a template, and from how far phones read it. */
function sizeOn({ sizes, language }: PrintView, name: TemplateName): Html | undefined {
  if (sizes === undefined) return undefined
  const texts = printTexts[language]
  const { wide, distanceOf } = lengthsIn(language)
  if (!takes(name, sizes.code)) return html`${texts.refusedOn(wide(leastWidth(sizes.code)))}`
  const { width } = sizeInSquare(sizes.code, largestSquare(templates[name]))
  return html`${texts.sizeOn(wide(width), distanceOf(width))}`
}

/** The height of the picture of an A4 page, in pixels. Small templates are drawn larger than they are to it. */
const A4_PIXELS = 52

function picture(template: Template): Html {
  const { width, height, shape, folds, edge } = template
  const pixels = A4_PIXELS * Math.sqrt(height / 297)
  const [first, middle = 0, last = 0] = folds
  const faces =
    first === undefined ? [{ top: 0, high: height }] : [first, middle].map((top) => ({ top, high: (last - first) / 2 }))
  const outline =
    shape === 'circle'
      ? html`<circle cx="${width / 2}" cy="${height / 2}" r="${width / 2}" />`
      : html`<rect width="${width}" height="${height}" />`
  return html`<svg
    viewBox="0 0 ${width} ${height}"
    width="${((pixels * width) / height).toFixed(1)}"
    height="${pixels.toFixed(1)}"
    aria-hidden="true"
  >
    ${outline} ${folds.map((y) => html`<path class="print-fold" d="M0 ${y}H${width}" />`)}
    ${faces.map((face) => facePicture(template, face, edge))}
  </svg>`
}

/** The code as a square, and texts as bars. */
function facePicture(
  { width, arrangement, code: [side] }: Template,
  { top, high }: { top: number; high: number },
  edge: number,
): Html {
  const bar = (x: number, y: number, length: number) =>
    html`<rect class="print-ink" x="${x}" y="${y}" width="${length}" height="${high * 0.05}" />`
  const at = (x: number, y: number, size: number) =>
    html`<rect class="print-ink" x="${x}" y="${y}" width="${size}" height="${size}" />`
  if (arrangement === 'stack') {
    const size = side * 0.75
    const y = top + (high - size) / 2
    const text = (above: number, length: number) => bar((width - length) / 2, above, length)
    return html`${text(y - high * 0.12, width * 0.5)} ${at((width - size) / 2, y, size)}
    ${text(y + size + high * 0.07, width * 0.35)}`
  }
  const size = Math.min(side, high - 2 * edge) * 0.9
  const y = top + (high - size) / 2
  const x = edge + size + edge * 1.5
  return html`${at(edge, y, size)} ${bar(x, y + size * 0.25, width - x - edge)}
  ${bar(x, y + size * 0.6, (width - x - edge) * 0.7)}`
}
