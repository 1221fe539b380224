import { html, type Html } from '../http/html.ts'
import type { CreationGate } from '../keys/open.ts'
import { creationTexts } from '../texts/creation.ts'
import type { Language } from '../texts/language.ts'
import { myLinksTexts } from '../texts/my-links.ts'
import { copyingData } from './copyable.ts'

/** Leads to the section past all that only who creates a link needs; its script shows it when there are kept links. */
export function toMyLinks(language: Language): Html {
  const { title, here } = myLinksTexts[language]
  return html`<p class="kept-here" hidden><a href="#my-links">${title}</a> ${here} <b></b></p>`
}

/**
 * The links whose private addresses this browser keeps. They are known to it alone, so its script fills the section, which is
 * not shown without it.
 * @param origin of the short links
 */
export function myLinksSection(language: Language, origin: string, creation: CreationGate['mode']): Html {
  const { island, ...texts } = myLinksTexts[language]
  return html`<section
    id="my-links"
    class="kept"
    aria-labelledby="my-links-title"
    data-origin="${origin}"
    data-texts="${JSON.stringify(island)}"
    ${copyingData(language)}
    hidden
  >
    <h2 id="my-links-title">${texts.title}</h2>
    <p class="quiet" data-when="some">${texts.lead}</p>
    <p class="kept-message" role="status"></p>
    <p class="quiet" data-when="none">${creation === 'closed' ? creationTexts[language].noLinks : island.none}</p>
    <div class="row kept-tools">
      <label class="unseen" for="kept-search">${texts.search}</label>
      <input id="kept-search" type="search" placeholder="${texts.search}" data-when="some" />
      <button type="button" class="bare" data-do="export" data-when="some">${texts.export}</button>
      <button type="button" class="bare" data-do="import">${texts.import}</button>
      <label hidden>${texts.file}<input type="file" accept=".json,application/json" /></label>
      <button type="button" class="bare" data-do="forget-all" data-when="some">${texts.forgetAll}</button>
    </div>
    <p class="kept-sum" data-when="some"></p>
    <ul class="kept-list" data-when="some"></ul>
    <button type="button" class="plain" data-do="more" hidden></button>
  </section>`
}
