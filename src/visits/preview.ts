import type { Page } from '../http/document.ts'
import { html } from '../http/html.ts'
import type { Visitor } from '../links/kinds/kind.ts'
import type { CompiledRules } from '../links/rules/compile.ts'
import type { LockedLink } from './locked.ts'
import type { LiveLink } from './live-link.ts'

const platforms: [Visitor['platform'], string][] = [
  ['ios', 'iPhone and iPad'],
  ['android', 'Android'],
  ['other', 'everyone else'],
]

/** The page that shows a visitor the destination of a code before the visit. */
export function previewPage({ code, kind, content, visit, rules }: LiveLink): Page {
  const outcomes = platforms.map(([platform, people]) => ({ people, outcome: visit({ platform }) }))
  const locations = outcomes.flatMap(({ people, outcome }) =>
    outcome.type === 'redirect' ? [{ people, location: outcome.location }] : [],
  )
  const isSameForAll = new Set(locations.map(({ location }) => location)).size === 1
  const shown = isSameForAll ? locations.slice(0, 1) : locations
  const byRule = rules === null ? [] : locationsOf(rules())
  const linked = locations.length === 0 ? kind.urls(content().payload) : []
  return {
    title: `Where ${code} leads`,
    body: html`<main>
      <h1>Where ${code} leads</h1>
      ${shown.map(({ people, location }) => html`<p>${!isSameForAll && `For ${people}: `}<code>${location}</code></p>`)}
      ${shown.length === 0 && html`<p>It opens a page on this service (${kind.label.toLowerCase()}).</p>`}
      ${linked.length > 0 && html`<p>That page links to:</p>`}
      ${linked.map(({ url }) => html`<p><code>${url}</code></p>`)}
      ${rules !== null && html`<p>Its owner has set rules: for some visits it may lead elsewhere, or have ended.</p>`}
      ${byRule.length > 0 && html`<p>The rules lead to:</p>`}
      ${byRule.map((location) => html`<p><code>${location}</code></p>`)}
      <p><a class="button" href="/${code}">Go there</a></p>
      <p class="quiet"><a href="/report?code=${code}">Report this link</a></p>
    </main>`,
  }
}

/** The destinations of rules, each once. When they apply is the owner's affair. */
function locationsOf({ answers }: CompiledRules): string[] {
  return [...new Set(answers.flatMap((answer) => ('location' in answer ? [answer.location] : [])))]
}

/** The same page of a link that is protected by a password: it does not reveal the destination. */
export function protectedPreviewPage({ code }: Pick<LockedLink, 'code'>): Page {
  return {
    title: `Where ${code} leads`,
    body: html`<main>
      <h1>Where ${code} leads</h1>
      <p>This link is protected by a password: only those who know it can see where it leads.</p>
      <p><a class="button" href="/${code}">Enter the password</a></p>
      <p class="quiet"><a href="/report?code=${code}">Report this link</a></p>
    </main>`,
  }
}
