import type { Chunk, GridRow, ListCollection, ListLook, State } from './state.ts'

const NAME = 'quirl-bulk'

interface Saved {
  rows: Pick<GridRow, 'id' | 'cells' | 'fault'>[]
  chunks: Pick<Chunk, 'key' | 'ids' | 'isCollected' | 'look'>[]
  looks: ListLook[]
  collection?: ListCollection | undefined
}

type Kept = Pick<State, 'rows' | 'chunks' | 'looks' | 'collection'>

/**
 * Saves what is needed to go on after a reload of this tab: the same requests return the same links. A browser that does
 * not allow it loses only this.
 */
export function saveSession({ rows, chunks, looks, collection }: Kept): void {
  const saved: Saved = {
    rows: rows.map(({ id, cells, isPart, fault }) => ({ id, cells, ...(isPart && fault && { fault }) })),
    chunks: chunks.map(({ key, ids, isCollected, look }) => ({ key, ids, isCollected, look })),
    looks,
    collection,
  }
  try {
    sessionStorage.setItem(NAME, JSON.stringify(saved))
  } catch {
    clearSession()
  }
}

export function clearSession(): void {
  try {
    sessionStorage.removeItem(NAME)
  } catch {
    // Nothing was saved.
  }
}

/** What was saved before a reload. */
export function readSession(): Kept | undefined {
  try {
    const saved = JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as Saved | null
    if (saved === null) return undefined
    const rows = saved.rows.map((row): GridRow =>
      row.fault === undefined ? { ...row, state: 'new' } : { ...row, state: 'faulty', isPart: true },
    )
    // A tab may have been left open since the version that had no looks.
    const { collection, looks = [] } = saved as Partial<Saved>
    return { rows, chunks: saved.chunks.map((chunk) => ({ ...chunk, isDone: false })), looks, collection }
  } catch {
    return undefined
  }
}
