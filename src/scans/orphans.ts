import type { WarehouseClient } from './warehouse-client.ts'

/** Links of one query. */
const PAGE = 1_000

export interface OrphanLinks {
  /** Which of these links exist. */
  existing: (linkIds: number[]) => Promise<Set<number>>
  /** Which of these exist or were deleted. */
  known: (linkIds: number[]) => Promise<Set<number>>
}

export interface OrphanListeners {
  /** Called with each deleted link. */
  onDeleted: (linkId: number) => void
  /** Called with the number of unknown links, if there are any. */
  onUnknown: (count: number) => void
}

/**
 * Checks all links that have scans. An older copy of the scans brings back those of deleted links, which are purged again;
 * scans of unknown links stay, because another copy of the links may have them.
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
