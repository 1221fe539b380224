import type { Images } from './images.ts'
import { readLook } from './options.ts'

/** What ends a compact address, and marks its visits as scans. */
export const COMPACT_MARKER = '.Q'

/**
 * What the image of a short link says: the short URL and nothing of the link, so that it never changes. Compact, it is in
 * capitals, of which two take eleven bits instead of sixteen: hosts and codes are the same in any case.
 */
export function codeText(
  code: string,
  origin: string,
  { marker, compact }: { marker: boolean; compact?: boolean },
): string {
  if (compact) return `${origin}/${code}`.toUpperCase() + (marker ? COMPACT_MARKER : '')
  return `${origin}/${code}${marker ? '?qr=1' : ''}`
}

/** The image of a short link as its own address answers it when nothing else is asked for. */
export function codeSvg(images: Images, text: string): string {
  return images.plain(text, readLook({}, 'svg'), { level: 'M' }).body.toString()
}
