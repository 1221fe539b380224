import { fillText } from '../../lib/fill-text.ts'
import type { Report } from '../../qr/design/job.ts'
import type { PreviewTexts } from '../../texts/preview.ts'
import type { Unavailable } from './check.ts'

/** The report on a design that can be scanned, as sentences. */
export function reportText(texts: PreviewTexts, report: Report): string {
  const { scannability, inverted, contrast_ratio: ratio, print, quiet_zone, logo_on_alignment } = report
  /** With a comma in German. */
  const number = (value: number) => value.toLocaleString(document.documentElement.lang)
  return [
    scannability === 'poor' && inverted ? texts.inverted : texts[scannability],
    fillText(texts.contrast, { ratio: number(ratio) }),
    fillText(texts.print, { width: print.smallest_mm, distance: number(print.distance_mm / 10) }),
    ...(quiet_zone < 4 ? [texts.narrow] : []),
    ...(logo_on_alignment ? [texts.covered] : []),
  ].join(' ')
}

/** Why there is no report right now. */
export function unavailableText(texts: PreviewTexts, unavailable: Unavailable): string {
  return typeof unavailable === 'object' ? fillText(texts.limited, unavailable) : texts[unavailable]
}
