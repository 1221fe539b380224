import { html, type Html } from '../http/html.ts'
import type { FieldError, Problem } from '../http/problem.ts'
import { DEFAULT_ACCENT, type FormField, type Kind } from '../links/kinds/kind.ts'
import { utmInputs } from './form-body.ts'

/** Initial values of the inputs, by field: texts, or the rows of a list of links. */
export type Values = Record<string, unknown>

/** Empty rows for further links: without scripts, a page cannot add rows. */
const SPARE_LINK_ROWS = 4

/** The last fields of every kind's form. */
export const ownerFields: FormField[] = [
  { name: 'title', label: 'Title', input: 'text', hint: 'only you can see it' },
  { name: 'campaign', label: 'Campaign', input: 'text', hint: 'groups your links; only you can see it' },
]

/** The inputs of a form, each with its errors below it. */
export function renderFields(fields: FormField[], values: Values, errors: FieldError[]): Html {
  return html`${fields.map((field) => {
    const faults = errors.filter(({ pointer }) => pointer.split('/')[1] === field.name)
    return field.input === 'links' ? linkRows(field, values[field.name], faults) : renderInput(field, values, faults)
  })}`
}

function renderInput({ name, label, input, hint, required }: FormField, values: Values, faults: FieldError[]): Html {
  const value = values[name] ?? (input === 'color' ? DEFAULT_ACCENT : '')
  const text = typeof value === 'string' ? value : ''
  const invalid = faults.length > 0 && html` aria-invalid="true"`
  const must = required && html` required`
  // A one-line input would drop the line ends of what was stored through the API.
  const control =
    input === 'textarea' || text.includes('\n')
      ? html`<textarea name="${name}" rows="4" ${invalid}${must} dir="auto">${text}</textarea>`
      : html`<input ${inputKinds[input]} name="${name}" value="${text}" ${invalid}${must} dir="auto" />`
  return html`<label>${label} ${hint && html`<small>${hint}</small>`} ${control}</label>
    ${faults.map(({ detail }) => html`<p class="fault">${label} ${detail}.</p>`)}`
}

/**
 * Attributes that make phones show the right keyboard. `type="url"` and `"email"` would also turn on the browser's
 * checks, which refuse valid input and explain less.
 */
const inputKinds: Record<FormField['input'], Html> = {
  text: html`type="text"`,
  textarea: html`type="text"`,
  links: html`type="text"`,
  tel: html`type="tel"`,
  email: html`type="text" inputmode="email" autocapitalize="none" spellcheck="false"`,
  url: html`type="text" inputmode="url" autocapitalize="none" spellcheck="false"`,
  color: html`type="color"`,
}

function linkRows({ label }: FormField, value: unknown, faults: FieldError[]): Html {
  const filled = Array.isArray(value) ? (value as { label: string; url: string }[]) : []
  const rows = [...filled, ...Array.from({ length: SPARE_LINK_ROWS }, () => ({ label: '', url: '' }))]
  return html`<fieldset>
    <legend>${label}</legend>
    ${faults.map(({ pointer, detail }) => html`<p class="fault">${rowOf(pointer)} ${detail}.</p>`)}
    ${rows.map((row, at) => {
      const invalid = (part: string) =>
        faults.some(({ pointer }) => pointer === `/links/${at}/${part}`) && html` aria-invalid="true"`
      return html`<div class="pair">
        <label>Label <input name="link_label" value="${row.label}" ${invalid('label')} dir="auto" /></label>
        <label>Address <input ${inputKinds.url} name="link_url" value="${row.url}" ${invalid('url')} /></label>
      </div>`
    })}
  </fieldset>`
}

/** Names the row of "/links/2/url", counted from 1. */
function rowOf(pointer: string): string {
  const [row, part = ''] = pointer.split('/').slice(2)
  return row === undefined ? 'The list' : `Row ${Number(row) + 1}: the ${part === 'url' ? 'address' : part}`
}

/** The inputs for UTM parameters, in a closed section while none is set; nothing for a kind that does not redirect. */
export function renderUtm(kind: Kind, utm: Record<string, string>, errors: FieldError[]): Html | undefined {
  if (!kind.redirects) return undefined
  const faults = errors.filter(({ pointer }) => pointer.startsWith('/utm'))
  const fields = utmInputs.map((field) => ({ ...field, input: 'text' as const }))
  const open = (faults.length > 0 || Object.keys(utm).length > 0) && html` open`
  return html`<details ${open}>
    <summary>UTM parameters, added to the destination</summary>
    ${faults.map(({ pointer, detail }) => html`<p class="fault">${pointer.split('/')[2] ?? 'The list'} ${detail}.</p>`)}
    ${renderFields(fields, utm, [])}
  </details>`
}

/** The error message above a form. */
export function renderProblem(problem: Problem | undefined, text = ''): Html | undefined {
  if (problem === undefined) return undefined
  const isMarked = problem.errors.length > 0
  const fallback = isMarked ? 'Not saved. Please correct the marked fields.' : `${problem.title}: ${problem.message}.`
  return html`<p class="note alarm" role="alert">${text || fallback}</p>`
}
