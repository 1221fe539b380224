import { trimInvisible } from '../lib/invisible.ts'
import type { OnTrimmed } from './url-policy.ts'

/** A URL in a field of a link. */
export interface FieldUrl {
  pointer: string
  url: string
}

/** What was dropped at the ends of a URL. */
export type Dropped = Parameters<OnTrimmed>

/**
 * The values of fields without the invisible characters at the ends of their URLs, which no browser shows, and which would
 * lead to another page.
 * @param urls all URLs in the values
 */
export function trimUrls(
  values: Record<string, unknown>,
  urls: FieldUrl[],
): { values: Record<string, unknown>; dropped: Dropped[] } {
  const trimmed = urls
    .map(({ pointer, url }) => ({ pointer, ...trimmedUrl(url) }))
    .filter(({ dropped }) => dropped !== '')
  if (trimmed.length === 0) return { values, dropped: [] }
  const copy = structuredClone(values)
  for (const { pointer, text } of trimmed) setAt(copy, pointer.split('/').slice(1), text)
  return { values: copy, dropped: trimmed.map(({ pointer, dropped }) => [pointer, dropped]) }
}

/** A URL without the invisible characters at its ends, and these. */
export function trimmedUrl(url: string): { text: string; dropped: string } {
  const { text, before, after } = trimInvisible(url)
  return { text, dropped: before + after }
}

/** Sets the text at a path of names and indexes that leads to one. */
function setAt(holder: object, path: string[], text: string): void {
  const [name = '', ...rest] = path
  const members = holder as Record<string, unknown>
  if (rest.length === 0) members[name] = text
  else setAt(members[name] as object, rest, text)
}
