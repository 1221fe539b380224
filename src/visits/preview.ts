import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Visitor } from '../links/kinds/kind.ts'
import type { Answer } from '../links/rules/compile.ts'
import type { Language } from '../texts/language.ts'
import { visitorTexts } from '../texts/visitor.ts'
import type { LockedLink } from './locked.ts'
import type { LiveLink } from './live-link.ts'

const platforms: Visitor['platform'][] = ['ios', 'android', 'other']

type Texts = (typeof visitorTexts)[Language]['preview']

/** The page that shows a visitor the destination of a code before the visit. */
export function previewPage({ code, kind, content, visit, rules, isWarned }: LiveLink, language: Language): Page {
  const texts = visitorTexts[language].preview
  const locations = platforms.flatMap((platform) => {
    const outcome = visit({ platform })
    return outcome.type === 'redirect' ? [{ platform, location: outcome.location }] : []
  })
  const linked = locations.length === 0 ? kind.urls(content().payload).map(({ url }) => url) : []
  const answers = rules?.().answers ?? []
  const hasRules = answers.length > 0
  const byRule = locationsOf(answers)
  return frame(code, language, {
    states: [
      texts.states.active,
      ...(hasRules ? [texts.states.rules] : []),
      ...(isWarned ? [texts.states.warned] : []),
    ],
    go: texts.go,
    body: html`${isWarned && html`<p>${texts.warned}</p>`}
    ${locations.length === 0 ? html`<p>${texts.opens}</p>` : destinations(locations, texts)}
    ${linked.length > 0 && html`<p>${texts.linksTo}</p>`} ${linked.map(address)}
    ${hasRules && html`<p>${texts.rules}</p>`} ${byRule.length > 0 && html`<p>${texts.rulesLeadTo}</p>`}
    ${byRule.map(address)}`,
  })
}

/** The same page of a link that is protected by a password: it does not reveal the destination. */
export function protectedPreviewPage({ code }: Pick<LockedLink, 'code'>, language: Language): Page {
  const { locked, unlock, states } = visitorTexts[language].preview
  return frame(code, language, { states: [states.locked], go: unlock, body: html`<p>${locked}</p>` })
}

function frame(code: string, language: Language, part: { states: string[]; body: Html; go: string }): Page {
  const { preview, report } = visitorTexts[language]
  const title = preview.title(code)
  return {
    title,
    lang: language,
    body: html`<main>
      <h1>${title}</h1>
      <p>${part.states.map((state) => html`<span class="state">${state}</span>`)}</p>
      ${part.body}
      <p><a class="button wide" href="/${code}">${part.go}</a></p>
    </main>`,
    footer: html`<a href="/report?code=${code}">${report}</a>`,
  }
}

/** Where a visit leads, once when that is the same on every platform. */
function destinations(locations: { platform: Visitor['platform']; location: string }[], texts: Texts): Html {
  const [first] = locations
  const isSame = new Set(locations.map(({ location }) => location)).size === 1
  if (isSame && first !== undefined)
    return html`<p>${texts.leadsTo}</p>
      ${address(first.location)}`
  return html`${locations.map(
    ({ platform, location }) =>
      html`<p>${texts.platforms[platform]}:</p>
        ${address(location)}`,
  )}`
}

/** An address with its host emphasised, by which people recognise where it leads. */
export function address(url: string): Html {
  const [, scheme = '', host = '', rest = ''] = /^(https?:\/\/)([^/?#]*)([^]*)$/i.exec(url) ?? [url, '', '', url]
  return html`<p class="address"><code>${scheme}<strong>${host}</strong>${rest}</code></p>`
}

/** The destinations of rules, each once. When they apply is the owner's affair. */
function locationsOf(answers: Answer[]): string[] {
  return [...new Set(answers.flatMap((answer) => ('location' in answer ? [answer.location] : [])))]
}
