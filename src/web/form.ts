import { html, type Html } from '../http/html.ts'
import type { FieldError, Problem } from '../http/problem.ts'
import { DEFAULT_ACCENT, type FaultTexts, type FormField, type Kind } from '../links/kinds/kind.ts'
import { fieldTexts } from '../texts/fields.ts'
import type { Language } from '../texts/language.ts'
import { faultText, refusalText, textOf } from './faults.ts'
import { utmInputs } from './form-body.ts'

/** Initial values of the inputs, by field: texts, or the rows of a list of links. */
export type Values = Record<string, unknown>
/** Empty rows for further links: without scripts, a page cannot add rows. */
const SPARE_ROWS = 4

/** An input of a form; its label, its hint and its texts for faults replace those of the catalogue. */
export interface FormInput extends FormField {
  label?: string | undefined
  hint?: string | undefined
  faults?: FaultTexts | undefined
  /** Whether it has the focus when the page opens. */
  isFocused?: boolean
}

export interface FormOptions {
  language?: Language
  /** Whether the first invalid field gets the focus. False where an earlier part of the form has one. */
  focus?: boolean
  /** Begins the ids of the inputs: forms of one page with the same fields have different ones. */
  prefix?: string
}

/** The last fields of every kind's form. */
export const ownerFields: FormInput[] = [
  { name: 'title', input: 'text', isHalf: true },
  { name: 'campaign', input: 'text', isHalf: true },
]

/** The inputs of a form, each with its hint and its errors. */
export function renderFields(
  fields: FormInput[],
  values: Values,
  errors: FieldError[],
  { language = 'en', focus = true, prefix = 'field' }: FormOptions = {},
): Html {
  const first = focus ? firstInvalid(fields, errors) : undefined
  const inputs = fields.map((field, at) => {
    const options = { language, focus: field.name === first || field.isFocused === true, prefix }
    return renderInput(field, values, shownFaults(fields, at, errors), options)
  })
  return html`${inPairs(fields, inputs)}`
}

/** Inputs, of which two halves in a row stand side by side. */
function inPairs(fields: FormInput[], inputs: Html[]): Html[] {
  const groups: { isPair: boolean; members: Html[] }[] = []
  for (const [at, input] of inputs.entries()) {
    const isPair = fields[at]?.isHalf === true
    const group = groups.at(-1)
    if (isPair && group?.isPair === true && group.members.length < 2) group.members.push(input)
    else groups.push({ isPair, members: [input] })
  }
  return groups.map(({ isPair, members }) => html`${isPair ? html`<div class="pair">${members}</div>` : members}`)
}

/** The name of the first field that has an error. */
export function firstInvalid(fields: FormField[], errors: FieldError[]): string | undefined {
  return fields.find((field) => faultsOf(field, errors).length > 0)?.name
}

function faultsOf({ name, field = name }: Pick<FormField, 'name' | 'field'>, errors: FieldError[]): FieldError[] {
  return errors.filter(({ pointer }) => pointer.split('/')[1] === field)
}

/** The errors that stand at an input: those of its field, unless an input before has the same one. */
function shownFaults(fields: FormField[], at: number, errors: FieldError[]): FieldError[] {
  const { name, field = name } = fields[at] ?? { name: '' }
  const first = fields.findIndex((each) => (each.field ?? each.name) === field)
  return first === at ? faultsOf({ name: field }, errors) : []
}

function renderInput(field: FormInput, values: Values, faults: FieldError[], options: Required<FormOptions>): Html {
  const { language } = options
  const { name, label = labelOf(name, language), hint = textOf(fieldTexts[language].hints, name) } = field
  if (field.input === 'links') return linkRows(values[name], faults, { ...options, legend: label })
  const id = `${options.prefix}-${name}`
  const notes = [...(hint ? [`${id}-hint`] : []), ...(faults.length > 0 ? [`${id}-fault`] : [])].join(' ')
  const marks = html`${notes && html` aria-describedby="${notes}"`}${faults.length > 0 && html` aria-invalid="true"`}`
  const fault = faults.map((each) => faultText(each, language, field.faults)).join(' ')
  return html`<div class="field">
    <label for="${id}">${label}</label> ${hint && html`<small class="hint" id="${id}-hint">${hint}</small>`}
    ${control(field, values[name], html`id="${id}" ${marks}${options.focus && html` autofocus`}`)}
    ${fault && html`<p class="fault" id="${id}-fault">${fault}</p>`}
  </div>`
}

function control({ name, input, required }: FormInput, value: unknown, marks: Html): Html {
  const empty = input === 'color' ? DEFAULT_ACCENT : ''
  const text = typeof value === 'string' ? value : empty
  const attributes = html`${marks} name="${name}" ${required && html` required`} dir="auto"`
  // A one-line input would drop the line ends of what was stored through the API.
  return input === 'textarea' || text.includes('\n')
    ? html`<textarea rows="4" ${attributes}>${text}</textarea>`
    : html`<input ${inputKinds[input]} ${attributes} value="${text}" />`
}

export function labelOf(name: string, language: Language): string {
  return textOf(fieldTexts[language].labels, name) ?? name
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
  date: html`type="date"`,
  time: html`type="time"`,
  // The script fills in the browser's own.
  zone: html`type="text" autocapitalize="none" spellcheck="false" data-zone`,
}

/** The inputs for UTM parameters, in a closed section while none is set; nothing for a kind that sets them nowhere. */
export function renderUtm(
  kind: Kind,
  utm: Record<string, string>,
  errors: FieldError[],
  options: FormOptions = {},
): Html | undefined {
  if (!kind.takesUtm) return undefined
  const isOpen = errors.some(({ pointer }) => pointer.startsWith('/utm')) || Object.keys(utm).length > 0
  return html`<details ${isOpen && html` open`}>
    <summary>${fieldTexts[options.language ?? 'en'].utm}</summary>
    ${utmFields(utm, errors, options)}
  </details>`
}

/** The inputs for UTM parameters; above them the errors of others. */
export function utmFields(utm: Record<string, string>, errors: FieldError[], options: FormOptions = {}): Html {
  const { language = 'en' } = options
  const faults = errors.filter(({ pointer }) => pointer.startsWith('/utm'))
  const shown = new Set(utmInputs.map(({ name }) => `/utm/${name}`))
  const others = faults.filter(({ pointer }) => !shown.has(pointer))
  const own = faults.map((fault) => ({ ...fault, pointer: fault.pointer.slice('/utm'.length) }))
  return html`${others.map(
    (fault) =>
      html`<p class="fault"><code>${fault.pointer.split('/')[2] ?? 'utm'}</code>: ${faultText(fault, language)}</p>`,
  )}
  ${renderFields(utmInputs, utm, own, options)}`
}

/** The error message above a form. */
export function renderProblem(problem: Problem | undefined, text = '', language: Language = 'en'): Html | undefined {
  if (problem === undefined) return undefined
  return html`<p class="note alarm" role="alert">${text || problemText(problem, language)}</p>`
}

/** Why a form was refused. */
export function problemText(problem: Problem, language: Language): string {
  return problem.errors.length > 0 ? fieldTexts[language].notSaved : refusalText(problem, language)
}

interface Row {
  label: string
  url: string
}

/** The list of a page's buttons. With scripts, rows are added, removed and moved (`client/islands/`). */
function linkRows(
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
