import { html, type Html } from '../../../http/html.ts'
import type { FieldError } from '../../../http/problem.ts'
import { isRequired } from '../../../http/validate.ts'
import { ruleEditorTexts } from '../../../texts/rule-editor.ts'
import type { Language } from '../../../texts/language.ts'
import { faultText } from '../../faults.ts'
import type { RuleField, TypedValues } from './read-rule.ts'

/** What the fields of the editor show. */
export interface EditorState {
  language: Language
  values: TypedValues
  faults: RuleField[]
  /** Errors of the service, by field. */
  errors?: Partial<Record<RuleField, FieldError>>
}

interface TextField {
  name: RuleField
  label: string
  hint?: string
  attributes: Html
}

export function textField(state: EditorState, { name, label, hint, attributes }: TextField): Html {
  const id = `rule-${name}`
  const fault = faultOf(state, name)
  const [value = ''] = state.values(name)
  const notes = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  const marks = html`id="${id}"
  name="${name}"${notes && html` aria-describedby="${notes}"`}${fault !== undefined && html` aria-invalid="true"`}`
  return html`<div>
    <label for="${id}">${label}</label>
    ${
      // A one-line input would drop the line ends of what was stored through the API.
      value.includes('\n')
        ? html`<textarea rows="4" ${marks} dir="auto">${value}</textarea>`
        : html`<input ${marks} ${attributes} value="${value}" />`
    }
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}
  </div>`
}

/** A group of boxes to tick; those beyond `few` are folded. */
export function boxes(
  state: EditorState,
  name: RuleField,
  legend: string,
  options: [value: string, label: string][],
  few = 12,
): Html {
  const chosen = state.values(name)
  const box = ([value, label]: [string, string]) =>
    html`<label class="choice">
      <input type="checkbox" name="${name}" value="${value}" ${chosen.includes(value) && html` checked`} />${label}
    </label>`
  const more = options.slice(few)
  const fault = faultOf(state, name)
  return html`<fieldset class="rule-boxes">
    <legend>${legend}</legend>
    ${fault !== undefined && html`<p class="fault">${fault}</p>`}
    <div class="row">${options.slice(0, few).map(box)}</div>
    ${
      more.length > 0 &&
      html`<details ${more.some(([value]) => chosen.includes(value)) && html` open`}>
        <summary>${ruleEditorTexts[state.language].more}</summary>
        <div class="row">${more.map(box)}</div>
      </details>`
    }
  </fieldset>`
}

/** One of several choices. */
export function radios(state: EditorState, name: string, options: [value: string, label: string][]): Html {
  const [chosen] = state.values(name)
  return html`<div class="row">
    ${options.map(
      ([value, label]) =>
        html`<label class="choice">
          <input type="radio" name="${name}" value="${value}" ${value === chosen && html` checked`} />${label}
        </label>`,
    )}
  </div>`
}

/** Conditions that unfold; open when one of them is set or has a fault. */
export function condition(state: EditorState, title: string, names: RuleField[], content: Html): Html {
  const isOpen = names.some((name) => state.faults.includes(name) || state.values(name).some(Boolean))
  return html`<details class="rule-condition" ${isOpen && html` open`}>
    <summary>${title}</summary>
    ${content}
  </details>`
}

/** The editor has texts for its own fields; those that links have as well share theirs. */
function faultOf({ faults, language, errors = {} }: EditorState, name: RuleField): string | undefined {
  if (!faults.includes(name)) return undefined
  if (name === 'target' || name === 'ended') return faultText(errors[name] ?? isRequired(`/${name}`), language)
  return ruleEditorTexts[language].faults[name]
}
