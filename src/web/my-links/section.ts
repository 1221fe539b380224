import { html, type Html } from '../../http/html.ts'
import type { CreationGate } from '../../keys/open.ts'
import { creationTexts } from '../../texts/creation.ts'
import type { Language } from '../../texts/language.ts'
import { myLinksTexts } from '../../texts/my-links.ts'
import { copyingData } from '../copyable.ts'
import { keyField } from '../creation.ts'

interface MyLinksView {
  language: Language
  /** Of the short links. */
  origin: string
  creation: CreationGate['mode']
  /** The path of the script that makes a collection of the links. */
  everyDeviceScript: string | undefined
}

/**
 * The links and collections whose private addresses this browser keeps. They are known to it alone, so its script fills the
 * section, which is not shown without it. `data-when` says of what there must be some, or that there must be nothing.
 */
export function myLinksSection({ language, origin, creation, everyDeviceScript }: MyLinksView): Html {
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
    <h3 data-when="collections">${texts.collections}</h3>
    <ul class="kept-list kept-collections" data-when="collections"></ul>
    <h3 data-when="collections links">${texts.links}</h3>
    ${creation !== 'closed' && everyDeviceScript !== undefined && everyDevice(language, creation, everyDeviceScript)}
    <p class="kept-sum" data-when="links"></p>
    <ul class="kept-list kept-links" data-when="links"></ul>
    <button type="button" class="plain" data-do="more" hidden></button>
  </section>`
}

/** Makes a collection of the links, whose one address a person can take to another device. */
function everyDevice(language: Language, creation: MyLinksView['creation'], script: string): Html {
  const { everyDevice: texts } = myLinksTexts[language]
  return html`<details class="card kept-every" data-script="${script}" data-when="links">
    <summary>${texts.title}</summary>
    <form>
      <p>${texts.lead}</p>
      <label for="every-name">${texts.name}</label>
      <input id="every-name" name="name" type="text" maxlength="100" value="${texts.proposed}" dir="auto" />
      ${creation === 'token' && keyField('every-key', language)}
      <p class="row"><button disabled>${texts.button}</button></p>
      <p role="status"></p>
    </form>
  </details>`
}
