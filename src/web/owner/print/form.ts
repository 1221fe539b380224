import { html, type Html } from '../../../http/html.ts'
import { typographies, type TypographyName } from '../../../qr/print/template.ts'
import { printTexts } from '../../../texts/print.ts'
import { faultOf, type FaultField } from './faults.ts'
import { paperChoice } from './papers.ts'
import type { PrintView } from './view.ts'

/** The fields of the page; they are its address, so that a page can be kept as a bookmark. */
export function printForm(view: PrintView): Html {
  const { access, link, fields, language, hasLogo } = view
  const texts = printTexts[language]
  return html`<form class="print-form" action="${access.page}/print" method="get">
    <fieldset>
      <legend>${texts.paper}</legend>
      ${faultAt(view, 'paper')} ${paperChoice(view)}
    </fieldset>
    ${textField(view, 'title', texts.titleHint)} ${textField(view, 'text', texts.textHint)}
    <fieldset>
      <legend>${texts.lettering}</legend>
      <div class="print-styles">${styleChoice(view)}</div>
    </fieldset>
    <div class="print-options">
      ${box(view, 'address', texts.address)} ${faultAt(view, 'address')}
      ${hasLogo && html`${box(view, 'logo', texts.logo)} ${faultAt(view, 'logo')}`}
    </div>
    ${
      link.placements.length > 0 &&
      html`<label for="print-placement">${texts.placement}</label>
        <select id="print-placement" name="placement">
          <option value="">${texts.nowhere}</option>
          ${link.placements.map(
            ({ id, name }) =>
              html`<option value="${id}" ${id === fields.placement && html`selected`}>${name?.trim() || id}</option>`,
          )}
        </select>`
    }
    <p data-without-script><button class="plain">${texts.show}</button></p>
    <p class="hint">${texts.distanceNote}</p>
    <p class="print-status" role="status"></p>
  </form>`
}

/** Where the fault of a field is said, also one that is found later. */
function faultAt(view: PrintView, field: FaultField): Html {
  const fault = faultOf(view, field)
  return html`<div id="print-fault-${field}" aria-live="polite" data-live>
    ${fault !== undefined && html`<p class="fault">${fault}</p>`}
  </div>`
}

function textField(view: PrintView, name: 'title' | 'text', hint: string): Html {
  const { fields, language } = view
  const id = `print-${name}`
  const isFaulty = faultOf(view, name) !== undefined
  return html`<div class="field">
    <label for="${id}">${printTexts[language].fields[name]}</label>
    <small class="hint" id="${id}-hint">${hint}</small>
    <textarea
      id="${id}"
      name="${name}"
      rows="2"
      dir="auto"
      aria-describedby="${id}-hint print-fault-${name}"
      ${isFaulty && html` aria-invalid="true"`}
      ${isFaulty && view.sheet === undefined && html` autofocus`}
    >
${fields[name]}</textarea>
    ${faultAt(view, name)}
  </div>`
}

function styleChoice({ fields, language }: PrintView): Html {
  const names = Object.keys(typographies) as TypographyName[]
  return html`${names.map(
    (name) =>
      html`<label class="choice"
        ><input type="radio" name="style" value="${name}" ${name === fields.style && html` checked`} />
        <span class="print-sample print-sample-${name}" aria-hidden="true">Aa</span
        >${printTexts[language].styles[name]}</label
      >`,
  )}`
}

/** A box to tick. Browsers send nothing for one that is not, so that its default precedes it. */
function box({ fields }: PrintView, name: 'address' | 'logo', label: string): Html {
  return html`<input type="hidden" name="${name}" value="0" />
    <label class="choice"
      ><input
        type="checkbox"
        name="${name}"
        value="1"
        aria-describedby="print-fault-${name}"
        ${fields[name] === '1' && html` checked`}
      />${label}</label
    >`
}
