import type { OwnerAccess } from '../access.ts'
import type { ConditionName } from '../../../dimensions/dimensions.ts'
import { html, type Html } from '../../../http/html.ts'
import { systemNames } from '../../../lib/agent-tables.ts'
import { weekdays, type Rule } from '../../../links/rules/rule.ts'
import { ruleEditorTexts } from '../../../texts/rule-editor.ts'
import { rulesTexts } from '../../../texts/rules.ts'
import { instantsOf } from './rule-values.ts'
import { readRule, type RuleField, type TypedValues } from './read-rule.ts'
import { dayName, ruleSentence } from './sentence.ts'
import type { FieldError } from '../../../http/problem.ts'
import { isRequired } from '../../../http/validate.ts'
import type { Language } from '../../../texts/language.ts'
import { faultText } from '../../faults.ts'

export interface EditorOptions extends EditorState {
  access: OwnerAccess
  formKey: string
  revision: number
  /** The place of the rule and the rule as it is stored; undefined for a new one. */
  edited: { at: number; rule: Rule } | undefined
}

/** The systems that visitors of shops have; the others are folded. */
const commonSystems = ['iOS', 'iPadOS', 'Android', 'Windows', 'macOS', 'Linux']

/** The form of one rule, which works without scripts; the script shows its sentence as it changes. */
export function ruleEditor(options: EditorOptions): Html {
  const { language, access, formKey, revision, edited } = options
  const texts = ruleEditorTexts[language]
  const { sentence } = rulesTexts[language]
  const wording = { language, texts: sentence }
  const { rule, faults } = readRule(options.values, { language, instantOf: instantsOf(edited?.rule) })
  return html`<form
    class="card rule-editor"
    id="rule-editor"
    method="post"
    action="${access.page}"
    aria-labelledby="rule-editor-title"
    data-texts="${JSON.stringify(wording)}"
    data-unclear="${texts.unclear}"
    data-new="${edited === undefined ? 'yes' : 'no'}"
  >
    <h4 id="rule-editor-title" tabindex="-1">${edited === undefined ? texts.add : texts.edit(edited.at + 1)}</h4>
    <input type="hidden" name="action" value="rule" />
    <input type="hidden" name="idempotency_key" value="${formKey}" />
    <input type="hidden" name="revision" value="${revision}" />
    ${edited !== undefined && html`<input type="hidden" name="stored" value="${JSON.stringify(edited.rule)}" />`}
    <fieldset>
      <legend>${texts.when}</legend>
      <p class="hint">${texts.whenHint}</p>
      ${conditions(options)}
    </fieldset>
    <fieldset class="rule-answer">
      <legend>${texts.outcome}</legend>
      ${answer(options)}
    </fieldset>
    <p class="note">
      <span class="owner-label">${texts.preview}</span><br />
      <output class="rule-preview">${faults.length > 0 ? texts.unclear : ruleSentence(rule, wording)}</output>
    </p>
    <div class="row">
      <button>${texts.save}</button>
      <a class="button plain" href="${access.page}#rules">${texts.cancel}</a>
    </div>
  </form>`
}

function conditions(state: EditorState): Html {
  const texts = ruleEditorTexts[state.language]
  const names = [...commonSystems, ...systemNames.filter((name) => !commonSystems.includes(name))]
  const oses = names.map((name): [string, string] => [name, name === 'iOS' ? 'iOS (iPhone)' : name])
  const kinds = Object.entries(texts.devices)
  const text = (name: 'country' | 'language' | 'placement', label: string, hint: string) =>
    textField(state, { name, label, hint, attributes: html`type="text" dir="auto" autocomplete="off"` })
  const { any, qr, link } = texts.sources
  const sources: [string, string][] = [
    ['', any],
    ['qr', qr],
    ['link', link],
  ]
  const inputs: Record<ConditionName | 'language', Html> = {
    device: boxes(state, 'device', texts.device, kinds),
    os: boxes(state, 'os', texts.os, oses, commonSystems.length),
    country: text('country', texts.country, texts.countryHint),
    language: text('language', texts.language, texts.languageHint),
    source: html`<fieldset class="rule-boxes">
      <legend>${texts.source}</legend>
      ${radios(state, 'source', sources)}
    </fieldset>`,
    placement: text('placement', texts.placement, texts.placementHint),
  }
  const folded = Object.entries(inputs) as [keyof typeof inputs, Html][]
  return html`${folded.map(([name, input]) => condition(state, texts[name], [name], input))} ${times(state)}
  ${counts(state)}`
}

function times(state: EditorState): Html {
  const texts = ruleEditorTexts[state.language]
  const days = weekdays.map((day): [string, string] => [day, dayName(day, state.language)])
  const moment = (name: 'from' | 'until', label: string) =>
    textField(state, { name, label, attributes: html`type="datetime-local" step="any"` })
  const hours = html`type="text" autocomplete="off"`
  const zone = html`type="text" autocomplete="off" autocapitalize="none" spellcheck="false" list="rule-zones"`
  return html`${condition(state, texts.period, ['from', 'until'], html`<div class="pair">${moment('from', texts.from)} ${moment('until', texts.until)}</div>`)}
    ${condition(
      state,
      texts.local,
      ['weekdays', 'hours'],
      html`${boxes(state, 'weekdays', texts.weekdays, days)}
      ${textField(state, { name: 'hours', label: texts.hours, hint: texts.hoursHint, attributes: hours })}`,
    )}
    <div class="rule-zone">
      ${textField(state, { name: 'timezone', label: texts.timezone, hint: texts.timezoneHint, attributes: zone })}
    </div>`
}

function counts(state: EditorState): Html {
  const texts = ruleEditorTexts[state.language]
  const number = (name: 'after_visitors' | 'after_scans' | 'percent', hint?: string) =>
    textField(state, {
      name,
      label: texts[name],
      ...(hint !== undefined && { hint }),
      attributes: html`type="text" inputmode="numeric" autocomplete="off"`,
    })
  return html`${condition(
    state,
    texts.counted,
    ['after_visitors', 'percent'],
    html`<div class="pair">${number('after_visitors', texts.afterVisitorsHint)} ${number('percent')}</div>`,
  )}
  ${condition(state, texts.countedVisits, ['after_scans'], number('after_scans', texts.afterScansHint))}`
}

function answer(state: EditorState): Html {
  const texts = ruleEditorTexts[state.language]
  const url = html`type="text" inputmode="url" autocapitalize="none" spellcheck="false" dir="auto"`
  return html`${radios(state, 'answer', [
      ['target', texts.target],
      ['ended', texts.ended],
    ])}
    <div class="rule-target">${textField(state, { name: 'target', label: texts.targetLabel, attributes: url })}</div>
    <div class="rule-ended">
      ${textField(state, { name: 'ended', label: texts.endedLabel, attributes: html`type="text" dir="auto"` })}
    </div>`
}

/** What the fields of the editor show. */
interface EditorState {
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

function textField(state: EditorState, { name, label, hint, attributes }: TextField): Html {
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
function boxes(
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
function radios(state: EditorState, name: string, options: [value: string, label: string][]): Html {
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
function condition(state: EditorState, title: string, names: RuleField[], content: Html): Html {
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
