import { html, type Html } from '../http/html.ts'
import type { FieldError } from '../http/problem.ts'
import { fieldTexts } from '../texts/fields.ts'
import type { Language } from '../texts/language.ts'
import { faultText } from './faults.ts'

/** Empty rows for further links: without scripts, a page cannot add rows. */
const SPARE_ROWS = 4

interface Row {
  label: string
  url: string
}

/** The list of a page's buttons. With scripts, rows are added, removed and moved (`client/rows.ts`). */
export function linkRows(
  value: unknown,
  faults: FieldError[],
  { legend, language, focus }: { legend: string; language: Language; focus: boolean },
): Html {
  const filled = Array.isArray(value) ? (value as Row[]) : []
  const rows = [...filled, ...Array.from({ length: SPARE_ROWS }, () => ({ label: '', url: '' }))]
  const ofList = faults.filter(({ pointer }) => pointer.split('/').length < 4)
  const first = faults.find((fault) => !ofList.includes(fault))?.pointer
  return html`<fieldset class="link-rows" data-texts="${JSON.stringify(fieldTexts[language].rows)}">
    <legend>${legend}</legend>
    ${ofList.map((fault) => html`<p class="fault">${faultText(fault, language)}</p>`)}
    ${rows.map((row, at) => {
      const faultOf = (part: keyof Row) => faults.filter(({ pointer }) => pointer === `/links/${at}/${part}`)
      const input = (part: keyof Row) =>
        rowInput(part, row[part], {
          at,
          language,
          faults: faultOf(part),
          focus: focus && first === `/links/${at}/${part}`,
        })
      return html`<div class="link-row">${input('label')}${input('url')}</div>`
    })}
  </fieldset>`
}

interface RowOptions {
  at: number
  language: Language
  faults: FieldError[]
  focus: boolean
}

function rowInput(part: keyof Row, value: string, { at, language, faults, focus }: RowOptions): Html {
  const texts = fieldTexts[language].rows
  const id = `link-${at}-${part}-fault`
  const isInvalid = faults.length > 0
  const marks = isInvalid && html` aria-invalid="true" aria-describedby="${id}"`
  const keyboard = part === 'url' && html` inputmode="url" autocapitalize="none" spellcheck="false"`
  return html`<div class="field">
    <label
      ><span class="unseen">${texts.name.replace('{row}', String(at + 1))}: </span>${texts[part]}
      <input
        type="text"
        name="link_${part}"
        value="${value}"
        ${keyboard}${marks}${focus && html` autofocus`}
        dir="auto"
    /></label>
    ${isInvalid && html`<p class="fault" id="${id}">${faults.map((fault) => faultText(fault, language)).join(' ')}</p>`}
  </div>`
}
