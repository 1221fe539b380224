import type { Html } from '../../http/html.ts'
import { collectionName } from '../statistics/of-collection.ts'
import { statisticsSection } from '../statistics/section.ts'
import { pathOf, type CollectionView } from './view.ts'

/** The statistics of all links of the collection, or of a campaign. */
export function collectionStatistics(view: CollectionView): Html {
  const { language, overview, statistics, credit, token } = view
  const path = pathOf(view)
  return statisticsSection({
    ...statistics,
    language,
    path,
    name: collectionName(overview, language),
    pageOf: (code) => `${path}/${code}`,
    csv: `/api/collections/${token}/scans.csv`,
    credit,
  })
}
