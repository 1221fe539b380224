import { appstore } from './appstore/kind.ts'
import { event } from './event/kind.ts'
import type { Kind } from './kind.ts'
import { page } from './page/kind.ts'
import { url } from './url/kind.ts'
import { vcard } from './vcard/kind.ts'

/** Every kind; the first is the default. */
export const kinds: readonly [Kind, ...Kind[]] = [url, appstore, vcard, page, event]

/** Their names in a sentence. */
export const kindNames = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(kinds.map(({ name }) => name))

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

/** The fields of a stored link that its kind has, without what the service keeps beside them. */
export function ownFields(link: { kind: string; payload: Record<string, unknown> }): Record<string, unknown> {
  const stamp = kindOf(link).stamp?.name
  return stamp === undefined ? link.payload : { ...link.payload, [stamp]: undefined }
}

/** What may follow a code and a dot: the marks of compact QR images, and the files of kinds. */
export const codeEndings: ReadonlySet<string> = new Set([
  'Q',
  'q',
  ...kinds.flatMap(({ file }) => file?.extension ?? []),
])
