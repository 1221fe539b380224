import type { WarehouseClient } from './warehouse-client.ts'

/** Links of one question. */
const PAGE = 1_000

export interface OrphanLinks {
  /** Which of these links exist. */
  existing: (linkIds: number[]) => Promise<Set<number>>
  /** Which of these exist or were deleted. */
  known: (linkIds: number[]) => Promise<Set<number>>
}

/** Who is told what was found. */
export interface OrphanListeners {
  /** Told of each deleted link. */
  onDeleted: (linkId: number) => void
  /** Told how many links are not known, when there are any. */
  onUnknown: (count: number) => void
}

/**
 * Looks through all links that have scans. Those that were deleted come back with an older copy of the scans, and go again;
 * those of which nothing is known may be there when another copy of the links is in place, and are kept.
 */
export async function findOrphans(
  warehouse: Pick<WarehouseClient, 'call'>,
  { existing, known }: OrphanLinks,
  { onDeleted, onUnknown }: OrphanListeners,
): Promise<void> {
  let unknown = 0
  for (let last = 0; ;) {
    const ids = await warehouse.call('linkIdsAfter', last, PAGE)
    const found = ids.length > 0 ? await existing(ids) : new Set()
    const missing = ids.filter((id) => !found.has(id))
    const deleted = await known(missing)
    for (const id of deleted) onDeleted(id)
    unknown += missing.length - deleted.size
    if (ids.length < PAGE) break
    last = ids.at(-1) ?? 0
  }
  if (unknown > 0) onUnknown(unknown)
}
