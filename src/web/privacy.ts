import { pageLanguage } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage, type Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Origin } from '../http/origin.ts'
import { route, type Route } from '../http/route.ts'
import type { Language } from '../texts/language.ts'
import { privacyTexts } from '../texts/privacy.ts'
import { contactLink } from './suspension-pages.ts'

/** The settings that decide what is kept, and for how long. */
export interface PrivacyNeeds {
  contact: string | undefined
  origin: Origin
  /** Milliseconds for which single visits are kept. */
  scanRetention: number
  /** Whether several nodes count requests together. */
  countsInRedis: boolean
}

const DAY_MS = 86_400_000

/** The page that says what is stored: `/privacy` */
export function privacyRoute(needs: PrivacyNeeds): Route {
  return route({
    schema: { hide: true },
    async handler(request, reply) {
      addVary(reply, 'accept-language')
      return sendPage(reply, { ...privacyPage(pageLanguage(request), needs), publicAt: needs.origin.of(request) })
    },
  })
}

function privacyPage(language: Language, { contact, scanRetention, countsInRedis }: PrivacyNeeds): Page {
  const texts = privacyTexts[language]
  const days = Number.isFinite(scanRetention) ? Math.ceil(scanRetention / DAY_MS) : undefined
  return {
    title: texts.title,
    description: texts.description,
    site: { language },
    body: html`<main class="narrow">
      <h1>${texts.title}</h1>
      <p>${texts.lead}</p>
      <h2>${texts.stored}</h2>
      ${list(texts.storedItems)}
      <h2>${texts.kept}</h2>
      <p>${texts.keptText(days)} ${texts.backups}</p>
      <h2>${texts.never}</h2>
      ${list(texts.neverItems)}
      <h2>${texts.unique}</h2>
      <p>${texts.uniqueText}</p>
      <h2>${texts.objection}</h2>
      <p>${texts.objectionText}</p>
      <h2>${texts.limits}</h2>
      <p>
        ${texts.limitsText} ${countsInRedis ? texts.limitsWhere.redis : texts.limitsWhere.memory} ${texts.placesText}
      </p>
      <h2>${texts.reports}</h2>
      <p>${texts.reportsText}</p>
      <h2>${texts.owners}</h2>
      <p>${texts.ownersText}</p>
      ${contact && html`<p>${texts.contact} ${contactLink(contact, language)}</p>`}
    </main>`,
  }
}

function list(items: string[]): Html {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`
}
