import type { FastifyRequest } from 'fastify'
import { pageLanguage } from '../http/accept.ts'
import type { ErrorPages } from '../http/error-handler.ts'
import { html, type Html } from '../http/html.ts'
import type { Origin } from '../http/origin.ts'
import type { Language } from '../texts/language.ts'
import { problemTexts } from '../texts/problems.ts'

/**
 * What the error pages of suspended links add for visitors. They do not name the destination, which may still be
 * harmful.
 */
export function suspensionPages({ contact, origin }: { contact: string | undefined; origin: Origin }): ErrorPages {
  const forOwners = (request: FastifyRequest) => {
    const language = pageLanguage(request)
    const texts = problemTexts[language]
    return html`<p>${texts.forOwners} ${contact && html`${texts.mistake} ${contactLink(contact, language)}.`}</p>`
  }
  return {
    code_removed(request) {
      const pages = origin.ofPages(request)
      const texts = problemTexts[pageLanguage(request)]
      return html`${forOwners(request)}
      ${pages !== undefined && html`<p><a href="${pages}/report">${texts.reportAnother}</a></p>`}`
    },
    code_removed_by_law: forOwners,
  }
}

/** A link to the operator's contact address. */
export function contactLink(contact: string, language: Language): Html {
  const address = contact.replace(/^mailto:/, '')
  return html`<a href="${contact}" rel="noopener">${problemTexts[language].writeTo(address)}</a>`
}
