import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import { addresses } from '../links/link.ts'
import type { SharedLink } from '../shares/open.ts'
import type { Language } from '../texts/language.ts'
import { statisticsTexts } from '../texts/statistics.ts'
import { statisticsSection } from './statistics/section.ts'
import type { LoadedStatistics } from './statistics/view.ts'

/** The data of a share's page. */
export interface ShareView {
  link: SharedLink
  token: string
  statistics: LoadedStatistics
  origin: string
  language: Language
  /** The paths of its scripts. */
  scripts: string[]
  /** Whether the cities come from DB-IP, whose licence requires a link. */
  credit: boolean
}

/** The page that shows the statistics of a link, and nothing that changes it. */
export function sharePage(view: ShareView): Page {
  const { link, token, statistics, origin, language, scripts, credit } = view
  const name = link.title?.trim() || link.code
  const { short_url: shortUrl } = addresses(link.code, origin)
  return {
    title: statisticsTexts[language].shared.title(name),
    site: { language, isForGuests: true },
    styles: ['stats'],
    scripts,
    body: html`<main>
      <h1 lang="" dir="auto">${name}</h1>
      ${address(view, shortUrl)}
      ${statisticsSection({
        ...statistics,
        language,
        path: `/s/${token}`,
        code: link.code,
        shortUrl,
        print: `/${link.code}/print.pdf`,
        image: link.state === 'removed' ? undefined : `/${link.code}/qr.svg`,
        ...(link.csv && { csv: `/api/share/${token}/scans.csv` }),
        credit,
      })}
    </main>`,
  }
}

function address({ link: { state, destinations = [] }, language }: ShareView, url: string): Html {
  const { shared } = statisticsTexts[language]
  return html`<p class="result">${state === 'active' ? html`<a href="${url}">${url}</a>` : url}</p>
    ${state !== 'active' && html`<p class="note warning">${shared[state]}</p>`}
    ${destinations.map((destination) => html`<p class="quiet">${shared.leadsTo} <code>${destination}</code></p>`)}`
}
