import { html, type Html } from '../../http/html.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import { designerTexts } from '../../texts/designer.ts'
import type { Language } from '../../texts/language.ts'
import { previewTexts } from '../../texts/preview.ts'
import { designInputs } from '../designer/form.ts'
import type { DesignerPictures } from '../designer/pictures.ts'
import { valuesOfDesign } from '../designer/values.ts'

/** What the step needs in which a person chooses how the codes of a list look: the paths of its script and its font, and its pictures. */
export interface LookStep {
  script: string
  font: string
  pictures: DesignerPictures
}

/** The step, which the script of the page puts below the rows: one closed line until somebody opens it. */
export function lookStep(language: Language, { script, font, pictures }: LookStep): Html {
  const { plain, title, hint, which, own, reset } = bulkTexts[language].look
  const state = { values: valuesOfDesign(), faults: [] }
  return html`<template
    data-bulk-look
    data-script="${script}"
    data-font="${font}"
    data-texts="${JSON.stringify(previewTexts[language])}"
  >
    <details class="card bulk-panel bulk-look">
      <summary>${title}: <span>${plain}</span></summary>
      <p class="hint">${hint}</p>
      <p hidden>
        <label for="bulk-look">${which}</label>
        <select id="bulk-look">
          <option value="">${own}</option>
        </select>
      </p>
      <div class="designer">
        <form class="design" novalidate>
          ${designInputs(state, undefined, { texts: designerTexts[language], pictures })}
          <p><button type="reset" class="plain">${reset}</button></p>
        </form>
      </div>
    </details>
  </template>`
}
