import { appstore } from './appstore.ts'
import type { Kind } from './kind.ts'
import { page } from './page.ts'
import { url } from './url.ts'
import { vcard } from './vcard.ts'

/** Every kind; the first is the default. */
export const kinds: readonly [Kind, ...Kind[]] = [url, appstore, vcard, page]

/** The kind of this name, or undefined. */
export function findKind(name: unknown): Kind | undefined {
  return kinds.find((kind) => kind.name === name)
}

/** The kind of a stored link. */
export function kindOf(link: { kind: string }): Kind {
  const kind = findKind(link.kind)
  if (kind === undefined) throw new Error(`a stored link has the unknown kind ${link.kind}`)
  return kind
}
