import type { Page } from '../../../http/document.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Language } from '../../../texts/language.ts'
import { saveLink } from '../../address-controls.ts'
import { copyingData } from '../../copyable.ts'
import type { KeptCollection } from '../../my-links/kept-collections.ts'
import type { KeptLink } from '../../my-links/kept-links.ts'
import { settingsTexts } from '../../../texts/settings.ts'

/** A secret that only one response has. */
export interface Once {
  language: Language
  title: string
  lead: string
  /** What the secret is. */
  label: string
  secret: string
  after?: string
  /** The name of the file in which the owner may save it. */
  file?: string
  /** Where the button leads, if there is one. */
  open?: { text: string; url: string; isNewWindow: boolean }
  /** Where the page of the link continues: with a query, as this page has its address and a fragment alone would load nothing. */
  back?: string
  /** The link with its new key, for a browser that keeps the earlier one. */
  kept?: KeptLink
  /** The same of a collection. */
  keptCollection?: { collection: KeptCollection; replaced: string }
  /** The paths of the scripts of the settings, which copy. */
  scripts: string[]
}

/**
 * A page in response to a form, not a redirect: no address may hold the secret, and the browser sends the form again when it is
 * loaded again.
 */
export function oncePage(once: Once): Page {
  const { language, title, lead, label, secret, after, file, open, back, scripts } = once
  const texts = settingsTexts[language].once
  return {
    title,
    site: { language },
    styles: ['owner'],
    scripts,
    body: html`<main class="narrow" ${keptData(once)}>
      <h1>${title}</h1>
      <div class="card">
        <p>${lead}</p>
        <label for="secret">${label}</label>
        <input class="settings-secret" id="secret" value="${secret}" readonly spellcheck="false" />
        <p class="row settings-buttons">
          <button type="button" hidden data-copy="${secret}" ${copyingData(language)}>${texts.copy}</button>
          ${file !== undefined && saveLink(texts.save, file, `${label}:\n${secret}\n`)} ${open && openLink(open)}
        </p>
        ${after !== undefined && html`<p class="quiet">${after}</p>`}
      </div>
      ${back !== undefined && html`<p class="settings-back"><a href="${back}">${texts.back}</a></p>`}
    </main>`,
  }
}

/** What the script keeps. */
function keptData({ kept, keptCollection }: Once): Html | undefined {
  if (kept !== undefined) return html` data-kept="${JSON.stringify(kept)}"`
  if (keptCollection === undefined) return undefined
  const { collection, replaced } = keptCollection
  return html` data-kept-collection="${JSON.stringify(collection)}" data-replaced="${replaced}"`
}

function openLink({ text, url, isNewWindow }: NonNullable<Once['open']>): Html {
  return html`<a class="button plain" href="${url}" ${isNewWindow && html` target="_blank" rel="noopener"`}>${text}</a>`
}
