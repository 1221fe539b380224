import { html, type Html } from '../../http/html.ts'
import type { DesignValues } from './values.ts'
import type { Fault } from './messages.ts'

/** What the inputs of the design's form show. */
export interface Shown {
  values: DesignValues
  faults: Fault[]
}

export interface InputText {
  name: string
  label: string
  hint?: string
}

/** A choice of one; of each value, what a person calls it. */
export function select(shown: Shown, { name, label, hint }: InputText, options: Record<string, string>): Html {
  const list = Object.entries(options).map(
    ([value, words]) =>
      html`<option value="${value}" ${value === shown.values[name] && html`selected`}>${words}</option>`,
  )
  return field(
    shown,
    name,
    html`${label} ${small(hint)}<select name="${name}" ${marks(shown, name)}>
        ${list}
      </select>`,
  )
}

export function color(shown: Shown, text: InputText): Html {
  return input(shown, text, html`type="color"`)
}

/** A colour that something may have of its own; it is shown once the box is ticked. */
export function ownColor(shown: Shown, { name, label, box }: InputText & { box: string }): Html {
  return html`<div class="own">
    ${checkbox(shown, { name: `own_${name}`, label: box })} ${color(shown, { name, label })}
  </div>`
}

/** An input of one line; `attributes` say of which type. */
export function input(shown: Shown, { name, label, hint }: InputText, attributes: Html): Html {
  const value = shown.values[name] ?? ''
  return field(
    shown,
    name,
    html`${label} ${small(hint)}<input ${attributes} name="${name}" value="${value}" ${marks(shown, name)} />`,
  )
}

export function checkbox(shown: Shown, { name, label, hint }: InputText): Html {
  const checked = shown.values[name] === 'yes' && html`checked`
  return html`<label class="tick">
    <input type="checkbox" name="${name}" value="yes" ${checked} />${label} ${small(hint)}
  </label>`
}

function small(hint: string | undefined): Html | undefined {
  return hint === undefined ? undefined : html`<small>${hint}</small> `
}

/** A label with its input, and room below for what is wrong with it, also for the preview. */
function field(shown: Shown, name: string, content: Html): Html {
  return html`<label>${content}</label>${faultsBeside(shown, name)}`
}

export function faultsBeside({ faults }: Shown, name: string): Html {
  const texts = faults.filter((fault) => fault.field === name).map(({ text }) => text)
  return html`<p class="fault" id="fault-${name}">${texts.join(' ')}</p>`
}

/** Ties an input to its faults. */
function marks({ faults }: Shown, name: string): Html {
  const isInvalid = faults.some((fault) => fault.field === name)
  return html`aria-describedby="fault-${name}" ${isInvalid && html`aria-invalid="true"`}`
}

/** Rarer choices, folded away unless one of them was made or is wrong. */
export function folded(shown: Shown, summary: string, { names, isChosen }: Folding, content: Html): Html {
  const isOpen = isChosen || shown.faults.some(({ field }) => names.includes(field))
  return html`<details ${isOpen && html`open`}>
    <summary>${summary}</summary>
    ${content}
  </details>`
}

interface Folding {
  names: string[]
  isChosen: boolean
}
