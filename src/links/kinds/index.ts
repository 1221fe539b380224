import { appstore } from './appstore.ts'
import type { Kind } from './kind.ts'
import { page } from './page.ts'
import { url } from './url.ts'
import { vcard } from './vcard.ts'

/** Every kind there is; the first is the one of a request that names none. */
export const kinds: readonly [Kind, ...Kind[]] = [url, appstore, vcard, page]

/** The kind of that name, or undefined. */
export function findKind(name: unknown): Kind | undefined {
  return kinds.find((kind) => kind.name === name)
}

/** The kind of a stored link. */
export function kindOf(link: { kind: string }): Kind {
  const kind = findKind(link.kind)
  if (kind === undefined) throw new Error(`a link of the unknown kind ${link.kind} is stored`)
  return kind
}
