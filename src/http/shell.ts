import { languageNames, languages, type Language } from '../texts/language.ts'
import { shellTexts } from '../texts/shell.ts'
import { html, type Html } from './html.ts'
import { queryIn, type Asked } from './page-address.ts'
import manifest from '../../package.json' with { type: 'json' }

/** The pages that the header links to. */
export const sections = { create: '/', bulk: '/bulk', domains: '/domains', api: '/docs' } as const

export type Section = keyof typeof sections

/** A finder pattern of a QR code that unwinds: the path of a whisk. */
const logo = html`<svg viewBox="0 0 7 7" aria-hidden="true">
  <path fill="none" stroke="currentColor" stroke-linecap="square" d="M.5.5h6v6h-6v-4h4v2h-1" />
  <path class="end" fill="currentColor" d="M2 4h1v1H2z" />
</svg>`

/** The header of the pages of the site. */
export function siteHeader(language: Language, current: Section | undefined, isForGuests = false): Html {
  const texts = shellTexts[language]
  const links = Object.entries(sections).map(([name, path]) => {
    const isCurrent = name === current && html` aria-current="page"`
    return html`<a href="${path}" ${isCurrent}>${texts[name as Section]}</a>`
  })
  return html`<header class="masthead">
    <a class="brand" href="/" aria-label="${texts.home}">${logo} quirl</a>
    ${!isForGuests && html`<nav aria-label="${texts.sections}">${links}</nav>`}
  </header>`
}

/** What a page with scripts says when one of them fails: `web/client/islands/failure.ts` shows it. */
export function scriptFailure(language: Language): Html {
  const { text, reload, more, close } = shellTexts[language].failure
  return html`<div id="script-failure" class="note alarm script-failure" role="alert" hidden>
    <p>${text} <button type="button" class="bare" data-reload>${reload}</button>. ${more}</p>
    <button type="button" class="bare close">
      <span class="unseen">${close}</span><span aria-hidden="true">×</span>
    </button>
  </div>`
}

/** The version is no secret: the OpenAPI document has it. The package may name no place of its source. */
const { version, homepage }: { version: string; homepage?: string } = manifest

/** Links to the same page in the other languages, each under its own name. */
export function languageSwitch(language: string, asked: Asked): Html {
  const others = languages.filter((each) => each !== language)
  return html`${others.map(
    (each) => html`<a href="${queryIn(each, asked)}" lang="${each}" hreflang="${each}">${languageNames[each]}</a>`,
  )}`
}

/** The footer of the pages of the site. */
export function siteFooter(language: Language, switches: Html | undefined): Html {
  const texts = shellTexts[language]
  return html`<footer class="colophon">
    <a href="/report">${texts.report}</a>
    <a href="/privacy">${texts.privacy}</a>
    ${homepage !== undefined && html`<a href="${homepage}">${texts.source}</a>`} ${switches}
    <span>quirl ${version}</span>
  </footer>`
}
