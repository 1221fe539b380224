import { addressName } from '../../../lib/address-name.ts'
import { withScheme } from '../../../lib/with-scheme.ts'
import { keepLinks, MAX_KEPT, MAX_TITLE, readKept, writeKept, type KeptLink } from '../../my-links/kept-links.ts'
import { keptStorage } from '../kept-storage.ts'
import type { CreatedLink, GridRow } from './state.ts'

/** Stores created links in "My links" of this browser: all of them or, where they are too many, none. */
export function keepRows(rows: (GridRow & { link: CreatedLink })[]): 'kept' | 'notKept' | 'full' {
  // The service returns no time; a few seconds do not matter.
  const createdAt = new Date().toISOString()
  const added = rows.map(({ link: { token, code }, cells }): KeptLink => {
    return { token, code, title: cells.title?.trim() || nameOf(cells.target), created_at: createdAt }
  })
  const links = keepLinks(readKept(keptStorage), added)
  if (links.length > MAX_KEPT) return 'full'
  return writeKept(keptStorage, links) ? 'kept' : 'notKept'
}

function nameOf(target = ''): string | null {
  return addressName(withScheme(target)).slice(0, MAX_TITLE) || null
}
