import { html, type Html } from '../../http/html.ts'
import { MAX_RULES, type Rule } from '../../links/rules/rule.ts'
import { rulesTexts } from '../../texts/rules.ts'
import { sectionMessage } from './message.ts'
import type { Notice, OwnerView } from './view.ts'
import { ruleEditor } from './rules/editor.ts'
import { valuesOfNewRule, valuesOfRule } from './rules/rule-values.ts'
import { ruleSentence } from './rules/sentence.ts'

/** The rules of a link as sentences, in order, and the editor of one of them. */
export function rulesPart(view: OwnerView, notice: Notice | undefined): Html {
  const { link, language, access } = view
  const texts = rulesTexts[language]
  const own = notice?.at === 'rules' ? notice : undefined
  const editor = editorOf(view, own)
  return html`<div id="rules">
    <h3>${texts.title}</h3>
    ${own && sectionMessage(own)}
    <p class="quiet">${link.rules.length > 0 ? texts.lead : texts.none}</p>
    ${
      link.rules.length > 0 &&
      html`<ol class="rule-list">
        ${link.rules.map((rule, at) => ruleItem(view, rule, at))}
      </ol>`
    }
    ${link.rules.length > 0 && html`<p>${link.target === null ? texts.otherwisePage : texts.otherwiseTarget(link.target)}</p>`}
    ${editor ?? (link.rules.length < MAX_RULES ? html`<p><a class="button plain" href="${access.page}?rule=new#rule-editor">${texts.add}</a></p>` : html`<p>${texts.full}</p>`)}
  </div>`
}

function ruleItem({ link, language, access, formKey }: OwnerView, rule: Rule, at: number): Html {
  const texts = rulesTexts[language]
  const isOff = rule.off === true
  const number = texts.name(at + 1)
  const button = (action: 'up' | 'down' | 'off' | 'on' | 'remove') =>
    html`<button class="plain" name="action" value="rule-${action}" aria-label="${texts.actions[action]}, ${number}">
      ${texts.actions[action]}
    </button>`
  return html`<li class="card" id="rule-${at + 1}">
    ${isOff && html`<span class="chip warning">${texts.off}</span>`}
    <p class="${isOff ? 'quiet' : ''}" dir="auto">${ruleSentence(rule, { language, texts: texts.sentence })}</p>
    <form class="row" method="post" action="${access.page}">
      <input type="hidden" name="revision" value="${link.revision}" />
      <input type="hidden" name="idempotency_key" value="${formKey}" />
      <input type="hidden" name="rule" value="${at}" />
      <a
        class="button plain"
        href="${access.page}?rule=${at + 1}#rule-editor"
        aria-label="${texts.actions.edit}, ${number}"
        >${texts.actions.edit}</a
      >
      ${at > 0 && button('up')} ${at < link.rules.length - 1 && button('down')} ${button(isOff ? 'on' : 'off')}
      ${button('remove')}
    </form>
  </li>`
}

/** The editor: with what was refused, or with the rule that the address names. */
function editorOf({ link, language, access, formKey, editing }: OwnerView, own: Notice | undefined): Html | undefined {
  const base = { language, access, formKey, revision: link.revision }
  if (own?.rule !== undefined) {
    const at = link.rules.findIndex((rule) => JSON.stringify(rule) === own.rule?.stored)
    const rule = link.rules[at]
    return ruleEditor({ ...base, ...own.rule, edited: rule && { at, rule } })
  }
  if (editing === 'new' && link.rules.length < MAX_RULES)
    return ruleEditor({ ...base, values: valuesOfNewRule(language), faults: [], edited: undefined })
  const at = Number(editing) - 1
  const rule = link.rules[at]
  if (rule === undefined) return undefined
  return ruleEditor({ ...base, values: valuesOfRule(rule, language), faults: [], edited: { at, rule } })
}
