import type { Chunk, GridRow, ListCollection, State } from './state.ts'

const NAME = 'quirl-bulk'

interface Saved {
  rows: Pick<GridRow, 'id' | 'cells' | 'fault'>[]
  chunks: Pick<Chunk, 'key' | 'ids' | 'isCollected'>[]
  collection?: ListCollection | undefined
}

/**
 * Saves what is needed to go on after a reload of this tab: the same requests return the same links. A browser that does
 * not allow it loses only this.
 */
export function saveSession({ rows, chunks, collection }: Pick<State, 'rows' | 'chunks' | 'collection'>): void {
  const saved: Saved = {
    rows: rows.map(({ id, cells, isPart, fault }) => ({ id, cells, ...(isPart && fault && { fault }) })),
    chunks: chunks.map(({ key, ids, isCollected }) => ({ key, ids, isCollected })),
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
export function readSession(): Pick<State, 'rows' | 'chunks' | 'collection'> | undefined {
  try {
    const saved = JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as Saved | null
    if (saved === null) return undefined
    const rows = saved.rows.map((row): GridRow =>
      row.fault === undefined ? { ...row, state: 'new' } : { ...row, state: 'faulty', isPart: true },
    )
    const { collection } = saved
    return { rows, chunks: saved.chunks.map((chunk) => ({ ...chunk, isDone: false })), collection }
  } catch {
    return undefined
  }
}
