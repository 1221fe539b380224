import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Language } from '../texts/language.ts'
import { visitorTexts } from '../texts/visitor.ts'
import { address } from './preview.ts'

/**
 * The page before a redirect that the operator warns of. Its button is a link to the destination itself: no request comes back to
 * this service, which another site could forge, or which would be a second scan.
 */
export function redirectWarning(location: string, language: Language): Page {
  const texts = visitorTexts[language].warning
  return {
    title: texts.title,
    lang: language,
    body: html`<main class="problem">
      ${lead(texts.leadsTo, language)} ${address(location)}
      <p>${texts.advice}</p>
      <p><a class="button plain wide" href="${location}" rel="noopener noreferrer nofollow">${texts.go}</a></p>
    </main>`,
  }
}

/** The same before a page of an owner, which follows folded: it needs no second request, nor a password again. */
export function documentWarning({ body, scripts = [], styles = [] }: Page, language: Language): Page {
  const texts = visitorTexts[language].warning
  return {
    title: texts.title,
    lang: language,
    scripts,
    styles,
    body: html`<section class="problem" aria-labelledby="warning">
        ${lead(texts.opens, language)}
        <p>${texts.advice}</p>
      </section>
      <details class="warned">
        <summary class="button plain wide">${texts.show}</summary>
        ${body}
      </details>`,
  }
}

function lead(sentence: string, language: Language): Html {
  const { title, lead: reason } = visitorTexts[language].warning
  return html`<h1 id="warning">${title}</h1>
    <p>${reason} ${sentence}</p>`
}
