import { html, type Html } from '../../http/html.ts'
import { kindOf } from '../../links/kinds/index.ts'
import { periodOf } from '../../links/rules/period.ts'
import { activeRules } from '../../links/rules/rule.ts'
import { ownerTexts } from '../../texts/owner.ts'
import type { Language } from '../../texts/language.ts'
import { rulesTexts } from '../../texts/rules.ts'
import { faultText } from '../faults.ts'
import { conflictTable } from './conflict.ts'
import { periodText } from './rules/sentence.ts'
import { sectionMessage } from './message.ts'
import type { Notice, OwnerView } from './view.ts'

/** Where a visit leads, in plain text, and for one address the form that changes it. */
export function leadsTo(view: OwnerView, notice: Notice | undefined): Html {
  const { link, language } = view
  const texts = ownerTexts[language]
  const { leadsTo: shown } = kindOf(link)
  const rules = activeRules(link.rules).filter((rule) => periodOf(rule) === undefined).length
  return html`<h2 class="owner-label">${texts.leadsTo}</h2>
    ${
      shown === 'target'
        ? editable(view, notice?.at === 'lead' ? notice : undefined)
        : html`${shown(link.payload, language)}
            <p><a href="#destination">${texts.change}</a></p>`
    }
    ${periods(view)}
    ${rules > 0 && html`<p class="quiet">${texts.rulesFirst(rules)} <a href="#rules">${texts.showRules}</a></p>`}`
}

/** When the link starts and ends, each with the way to change it. */
function periods({ link, language, token }: OwnerView): Html {
  const wording = { language, texts: rulesTexts[language].sentence }
  return html`${link.rules.map((rule, at) => {
    const text = rule.off === true ? undefined : periodText(rule, wording)
    if (text === undefined) return undefined
    const change = ownerTexts[language].change
    return html`<p>
      ${text} <a href="/m/${token}?rule=${at + 1}#rule-editor" aria-label="${change}: ${text}">${change}</a>
    </p>`
  })}`
}

function editable({ link, token, formKey, language }: OwnerView, own: Notice | undefined): Html {
  const texts = ownerTexts[language]
  return html`<p class="owner-target" dir="auto">${link.target}</p>
    <details class="owner-edit" id="lead" ${own && html` open`}>
      <summary>${texts.change}</summary>
      <form method="post" action="/m/${token}">
        <input type="hidden" name="action" value="lead" />
        <input type="hidden" name="idempotency_key" value="${formKey}" />
        <input type="hidden" name="revision" value="${link.revision}" />
        ${own && sectionMessage(own)} ${conflictTable(link, own, language)}
        <label for="owner-address">${texts.newTarget}</label>
        ${addressField(link.target, language, own)}
        <p class="hint" id="owner-address-hint">${texts.printedStay}</p>
      </form>
    </details>`
}

function addressField(target: string | null, language: Language, own: Notice | undefined): Html {
  const fault = own?.problem?.errors[0]
  const isFaulty = fault !== undefined
  const typed = own?.values?.['target']
  return html`<div class="owner-line">
      <input
        id="owner-address"
        name="address"
        type="text"
        inputmode="url"
        autocapitalize="none"
        spellcheck="false"
        dir="auto"
        required
        value="${typeof typed === 'string' ? typed : target}"
        aria-describedby="owner-address-hint${isFaulty && ' owner-address-fault'}"
        ${isFaulty && html` aria-invalid="true" autofocus`}
      />
      <button>${ownerTexts[language].save}</button>
    </div>
    ${isFaulty && html`<p class="fault" id="owner-address-fault">${faultText(fault, language)}</p>`}`
}
