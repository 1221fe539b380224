/** The suffix of compact URLs, which marks their visits as scans. */
export const COMPACT_MARKER = '.Q'

/** Which of the codes of a short link it is. */
export interface CodeForm {
  compact?: boolean
  /** The id of the place in which it hangs: it always marks the scan, or the place would not be known. */
  placement?: string
}

/**
 * The text that the QR code of a short link encodes: the short URL alone, so that the image never changes. The compact
 * text is in capitals, of which two take eleven bits instead of sixteen; hosts and codes ignore case.
 */
export function codeText(
  code: string,
  origin: string,
  { marker, compact, placement }: { marker: boolean } & CodeForm,
): string {
  if (placement !== undefined) return `${origin}/${code}?qr=${placement}`
  if (compact === true) return `${origin}/${code}`.toUpperCase() + (marker ? COMPACT_MARKER : '')
  return `${origin}/${code}${marker ? '?qr=1' : ''}`
}
