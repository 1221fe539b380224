import type { Html } from '../../http/html.ts'
import { addresses, type Link, type Totals } from '../../links/link.ts'
import type { Language } from '../../texts/language.ts'
import { imagePath } from '../image-path.ts'
import { statisticsSection } from './section.ts'
import type { LoadedStatistics, StatisticsView } from './view.ts'

/** What the section needs of the owner's page. */
export interface OwnerStatisticsView {
  link: Link
  /** The paths of the page, and of the link in the API. */
  access: { page: string; api: string }
  origin: string
  language: Language
  totals: Totals | undefined
  credit: boolean
  statistics: LoadedStatistics
  /** The address of the page to print. */
  print: string
  changes: NonNullable<StatisticsView['changes']>
  milestones: StatisticsView['milestones']
}

/** The section of the owner's page, which follows the scans live. */
export function ownerStatistics(view: OwnerStatisticsView): Html {
  const { link, access, origin, language, totals, credit, statistics, print, changes, milestones } = view
  const { code, suspension } = link
  return statisticsSection({
    ...statistics,
    language,
    path: access.page,
    name: addresses(code, origin).short_url,
    // The image at the top of the page has the same address.
    link: { code, image: suspension === null ? imagePath(link) : undefined, print },
    totals,
    stream: `${access.api}/stream`,
    csv: `${access.api}/scans.csv`,
    bundle: `${access.api}/bundle`,
    placement: (id) => link.placements.find((each) => each.id === id)?.name,
    changes,
    milestones,
    credit,
  })
}
