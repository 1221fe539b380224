import { html, type Html } from '../../http/html.ts'
import type { Language } from '../../texts/language.ts'
import { ownerTexts } from '../../texts/owner.ts'

/** The sections of the owner's page, in order: the ids of their elements. */
export type SectionName = 'statistics' | 'destination' | 'design' | 'settings' | 'delete'

/** The links to the sections, which stay visible; the island marks the one that is being read. */
export function sectionNavigation(names: SectionName[], language: Language): Html {
  const texts = ownerTexts[language].sections
  return html`<nav class="owner-nav" aria-label="${texts.label}">
    <a href="#top">${texts.top}</a>
    ${names.map((name) => html`<a href="#${name}">${texts[name]}</a>`)}
  </nav>`
}
