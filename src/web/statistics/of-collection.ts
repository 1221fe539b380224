import { readStatsOf, type CollectionStatsNeeds } from '../../collections/stats-routes.ts'
import type { ManageRequest } from '../../links/api/owner-routes.ts'
import { collectionTexts } from '../../texts/collection.ts'
import type { Language } from '../../texts/language.ts'
import type { PageSource } from './load.ts'

/** The statistics of the links of a collection, for a page. */
export function sourceOfCollection(
  needs: CollectionStatsNeeds,
  request: Pick<ManageRequest, 'raw'>,
  collection: { id: string },
): PageSource {
  return {
    read: (parameters) => readStatsOf(needs, request, collection, parameters),
    now: needs.now,
    isOfMany: true,
  }
}

/** What pages call a collection. */
export function collectionName({ name }: { name: string | null }, language: Language): string {
  return name?.trim() || collectionTexts[language].unnamed
}
