import { html, type Html } from '../../http/html.ts'
import { hinted } from '../hinted.ts'
import type { DesignValues } from './values.ts'
import type { Fault } from './messages.ts'

/** What the inputs of the design form show. */
export interface FormState {
  values: DesignValues
  faults: Fault[]
}

export interface InputText {
  name: string
  label: string
  hint?: string | undefined
}

/** A drop-down list; `options` maps each value to its label. */
export function select(state: FormState, { name, label, hint }: InputText, options: Record<string, string>): Html {
  const list = Object.entries(options).map(
    ([value, text]) =>
      html`<option value="${value}" ${value === state.values[name] && html`selected`}>${text}</option>`,
  )
  return field(
    state,
    { name, label, hint },
    (attributes) =>
      html`<select name="${name}" ${attributes}>
        ${list}
      </select>`,
  )
}

/** Choices that are shown as pictures with their labels; `options` maps each value to its label. */
export function choices<Value extends string>(
  state: FormState,
  { name, label }: InputText,
  options: Record<Value, string>,
  picture: (value: Value) => Html,
): Html {
  const tiles = (Object.entries(options) as [Value, string][]).map(
    ([value, text]) =>
      html`<label class="tile">
        <input type="radio" name="${name}" value="${value}" ${value === state.values[name] && html`checked`} />
        ${picture(value)}<span>${text}</span>
      </label>`,
  )
  return html`<fieldset class="tiles">
      <legend>${label}</legend>
      ${tiles}
    </fieldset>
    ${faultsBelow(state, name)}`
}

export function color(state: FormState, text: InputText): Html {
  return input(state, text, html`type="color"`)
}

/** An optional colour; the style sheet shows its input once the box is ticked. */
export function customColor(state: FormState, { name, label, box }: InputText & { box: string }): Html {
  return html`<div class="custom">
    ${checkbox(state, { name: `custom_${name}`, label: box })} ${color(state, { name, label })}
  </div>`
}

/** An input of one line; `attributes` hold its type. */
export function input(state: FormState, { name, label, hint }: InputText, attributes: Html): Html {
  const value = state.values[name] ?? ''
  return field(
    state,
    { name, label, hint },
    (marks) => html`<input ${attributes} name="${name}" value="${value}" ${marks} />`,
  )
}

export function checkbox(state: FormState, { name, label, hint }: InputText): Html {
  const checked = state.values[name] === 'yes' && html`checked`
  const described = hint !== undefined && html`aria-describedby="design-${name}-hint"`
  return html`<label class="tick"
      ><input type="checkbox" name="${name}" value="yes" ${checked} ${described} />${label}</label
    >
    ${hint !== undefined && html`<small class="hint" id="design-${name}-hint">${hint}</small>`}`
}

/** A label with its hint and its input, and an element below it in which the page or the preview shows errors. */
function field(state: FormState, { name, label, hint }: InputText, control: (attributes: Html) => Html): Html {
  const input = { id: `design-${name}`, label, hint, further: `fault-${name}` }
  const isInvalid = state.faults.some(({ field: at }) => at === name)
  return html`${hinted(input, (attributes) => control(html`${attributes}${isInvalid && html` aria-invalid="true"`}`))}
  ${faultsBelow(state, name)}`
}

export function faultsBelow({ faults }: FormState, name: string): Html {
  const texts = faults.filter((fault) => fault.field === name).map(({ text }) => text)
  return html`<p class="fault" id="fault-${name}">${texts.join(' ')}</p>`
}

/** A section that is collapsed unless one of its inputs was changed or has an error. */
export function collapsed(state: FormState, summary: string, { names, isChosen }: Collapsing, content: Html): Html {
  const isOpen = isChosen || state.faults.some(({ field }) => names.includes(field))
  return html`<details ${isOpen && html`open`}>
    <summary>${summary}</summary>
    ${content}
  </details>`
}

interface Collapsing {
  names: string[]
  isChosen: boolean
}
