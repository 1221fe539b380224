import type { KeptCollection } from '../../my-links/kept-collections.ts'
import { readKeptCollections } from '../../my-links/kept-links.ts'
import { callApi } from '../call-api.ts'
import { createCollection, type Refusal } from '../create-collection.ts'
import { keptStorage } from '../kept-storage.ts'
import { randomKey } from '../secure-context.ts'
import { saveSession } from './session.ts'
import { createdOf, type ListCollection, type State } from './state.ts'

/** Decides what the next rows are put into, as the person chose: once a list has a collection, it stays the one. */
export function chooseCollection(
  { collection, together }: Pick<State, 'collection' | 'together'>,
  rows: number,
): ListCollection | undefined {
  if (collection !== undefined) return collection
  const kept = keptCollections().find(({ token }) => token === together.kept)
  if (kept !== undefined) return { key: '', name: kept.name ?? '', created: kept, isNew: false }
  return rows > 1 ? { key: randomKey(), name: together.name.trim(), isNew: true } : undefined
}

/** The collections that this browser keeps. */
export function keptCollections(): KeptCollection[] {
  return readKeptCollections(keptStorage)
}

/** Creates the collection of a list, if it is not there yet. A retry creates no second one. */
export async function openCollection(state: State, accessCode: string | undefined): Promise<Refusal | undefined> {
  const { collection } = state
  if (collection === undefined || collection.created !== undefined) return undefined
  const created = await createCollection(collection.name, collection.key, accessCode)
  if ('kind' in created) return created
  const { token, name, created_at } = created
  collection.created = { token, name, created_at }
  saveSession(state)
  return undefined
}

/** Ends the collection that was created for a list of which nothing became a link. */
export async function endIfEmpty(state: State): Promise<void> {
  const { collection } = state
  if (collection === undefined || !collection.isNew || createdOf(state).some(({ isCollected }) => isCollected)) return
  delete state.collection
  if (collection.created === undefined) return
  const headers = { authorization: `Bearer ${collection.created.token}` }
  try {
    // What the service has created and could not tell must not lose the only address that leads to it.
    const { links } = (await (await callApi('/api/collections', { headers })).json()) as { links?: number }
    if (links === 0) await callApi('/api/collections', { method: 'DELETE', headers })
  } catch {
    // An empty collection is nothing to anybody.
  }
}
