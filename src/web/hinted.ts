import { html, type Html } from '../http/html.ts'

/** What an input is called, and what helps to fill it in. */
export interface HintedInput {
  id: string
  label: string
  hint: string | undefined
  /** The ids of further texts that describe it. */
  further?: string
}

/**
 * A label, its hint, and an input that the hint describes: a screen reader says the name first, and the hint after it.
 * @param control gets the attributes of the input
 */
export function hinted({ id, label, hint, further = '' }: HintedInput, control: (attributes: Html) => Html): Html {
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), further].filter((each) => each !== '').join(' ')
  const attributes = html`id="${id}" ${described !== '' && html`aria-describedby="${described}"`}`
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<small class="hint" id="${id}-hint">${hint}</small>`} ${control(attributes)}
  </div>`
}
