import { UNKNOWN_VALUE } from '../dimensions/dimension.ts'
import type { Page } from '../http/document.ts'
import { html } from '../http/html.ts'
import type { SharedLinks } from '../shares/open.ts'
import type { Language } from '../texts/language.ts'
import { statisticsTexts } from '../texts/statistics.ts'
import { formatsIn } from './statistics/formats.ts'
import { nameOfShared } from './statistics/shared.ts'
import { statisticsSection } from './statistics/section.ts'
import type { LoadedStatistics } from './statistics/view.ts'

/** The data of the page of shared links. */
export interface SharedLinksView {
  shared: SharedLinks
  token: string
  statistics: LoadedStatistics
  language: Language
  /** The paths of its scripts. */
  scripts: string[]
  /** Whether the cities come from DB-IP, whose licence requires a link. */
  credit: boolean
}

/** The report of a collection, or of a campaign in it: its statistics, and nothing that changes anything. */
export function sharedLinksPage(view: SharedLinksView): Page {
  const { shared, token, statistics, language, scripts, credit } = view
  const name = nameOfShared(shared, language)
  return {
    title: statisticsTexts[language].shared.title(name),
    site: { language, isForGuests: true },
    styles: ['stats'],
    scripts,
    body: html`<main class="report">
      <h1 lang="" dir="auto">${name}</h1>
      <p class="quiet stats-about" dir="auto">${aboutOf(view)}</p>
      ${statisticsSection({
        ...statistics,
        language,
        path: `/s/${token}`,
        name,
        ...(shared.csv && { csv: `/api/share/${token}/scans.csv` }),
        credit,
      })}
    </main>`,
  }
}

function aboutOf({ shared: { campaign }, statistics: { stats }, language }: SharedLinksView): string {
  const { shared: texts } = statisticsTexts[language]
  const links = stats?.links
  const parts = [
    campaign === null ? undefined : campaign === UNKNOWN_VALUE ? texts.noCampaign : texts.campaign(campaign),
    links === undefined ? undefined : texts.links(formatsIn(language).number(links), links === 1),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}
