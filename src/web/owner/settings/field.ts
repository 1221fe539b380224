import { html, type Html } from '../../../http/html.ts'
import type { Notice } from '../view.ts'

/** An input with its label, its hint and its fault. */
export interface Field {
  /** Of its element; made of the name where it is absent. */
  id?: string
  name: string
  label: string
  hint?: string
  value?: string
  /** Why what was typed is refused. */
  fault?: string | undefined
  /** The type and the constraints of the input. */
  attributes?: Html
}

/** One line of text. The browser focuses it when what was typed is refused. */
export function renderField({ name, id = `setting-${name}`, label, hint, value = '', fault, attributes }: Field): Html {
  const describedBy = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean)
  return html`<label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      value="${value}"
      dir="auto"
      ${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}
      ${fault !== undefined && html` aria-invalid="true" autofocus`}
      ${attributes ?? html`type="text"`}
    />
    ${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}`
}

/** A box to tick. */
export interface Choice {
  name: string
  value: string
  label: string
  isChecked?: boolean
  fault?: string | undefined
  isRequired?: boolean
}

export function renderChoice({ name, value, label, isChecked = false, fault, isRequired = false }: Choice): Html {
  const id = `setting-${name}`
  const invalid = fault !== undefined && html` aria-invalid="true" aria-describedby="${id}-fault" autofocus`
  return html`<label class="choice"
      ><input
        type="checkbox"
        name="${name}"
        value="${value}"
        ${isChecked && html` checked`}${isRequired && html` required`}${invalid}
      />${label}</label
    >
    ${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}`
}

/** What was typed into a field of a form that was refused. */
export function typedInto(notice: Notice | undefined, name: string): string | undefined {
  const value = notice?.values?.[name]
  return typeof value === 'string' ? value : undefined
}

/** Whether the problem of a form is one of this field. */
export function isFaulty(notice: Notice | undefined, pointer: string): boolean {
  return notice?.problem?.errors.some((error) => error.pointer.startsWith(pointer)) === true
}
