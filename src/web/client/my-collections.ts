import { fillText } from '../../lib/fill-text.ts'
import type { KeptCollection } from '../my-links/kept-collections.ts'
import { callApi } from './call-api.ts'
import { element } from './element.ts'
import type { Words } from './my-links-row.ts'
import { pageAddress } from './page-address.ts'

/** How many links a collection has, or `missing` when none has its key; by token. */
export type CollectionCounts = ReadonlyMap<string, number | 'missing'>

/** Collections that are read at the same time. */
const AT_ONCE = 4

/** Reads how many links collections have, until one cannot be read. */
export async function readCollectionCounts(tokens: readonly string[]): Promise<CollectionCounts> {
  const counts = new Map<string, number | 'missing'>()
  for (let at = 0; at < tokens.length; at += AT_ONCE) {
    const some = tokens.slice(at, at + AT_ONCE)
    const read = await Promise.all(some.map(readCount))
    if (read.includes(undefined)) return counts
    for (const [index, count] of read.entries()) counts.set(some[index] ?? '', count ?? 'missing')
  }
  return counts
}

async function readCount(token: string): Promise<number | 'missing' | undefined> {
  try {
    const response = await callApi('/api/collections', { headers: { authorization: `Bearer ${token}` } })
    if (response.status === 404) return 'missing'
    return response.ok ? ((await response.json()) as { links: number }).links : undefined
  } catch {
    return undefined
  }
}

export function collectionName({ name }: Pick<KeptCollection, 'name'>, { texts }: Pick<Words, 'texts'>): string {
  return name?.trim() || texts.unnamed
}

/** The row of a collection. The texts come from storage or a file: they are never parsed as HTML. */
export function collectionRow(
  words: Words,
  collection: KeptCollection,
  links: number | 'missing' | undefined,
): HTMLLIElement {
  const row = document.createElement('li')
  row.append(about(words, collection), countOf(words, links), buttons(words, collection))
  return row
}

function about(words: Words, collection: KeptCollection): HTMLElement {
  const { texts, date } = words
  const box = document.createElement('div')
  const name = element('div', 'kept-name', collectionName(collection, words))
  name.dir = 'auto'
  // Its owner wrote it, in whatever language.
  name.lang = ''
  box.append(name, element('div', 'small quiet', fillText(texts.created, { date: date(collection.created_at) })))
  return box
}

function countOf({ texts, count }: Words, links: number | 'missing' | undefined): HTMLElement {
  if (links === 'missing') return element('p', 'chip alarm', texts.missing)
  return element('div', 'small', links === undefined ? '' : count(texts.links, links))
}

function buttons(words: Words, collection: KeptCollection): HTMLElement {
  const { texts } = words
  const [box, name] = [element('div', 'row'), collectionName(collection, words)]
  const open = element('a', 'button plain', texts.manage)
  open.href = pageAddress(`/c/${collection.token}`)
  open.ariaLabel = fillText(texts.manageOf, { name })
  const forget = element('button', 'bare', texts.forget)
  forget.type = 'button'
  forget.dataset['forget'] = collection.token
  forget.ariaLabel = fillText(texts.forgetOf, { name })
  box.append(open, forget)
  return box
}
