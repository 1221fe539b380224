import type { Report } from '../../qr/design/job.ts'
import type { Unavailable } from './check.ts'

/** The report on a design that can be scanned, as sentences. */
export function reportText(report: Report): string {
  const { contrast_ratio, print, quiet_zone, logo_on_alignment } = report
  const millimetres = `${print.smallest_mm} mm`
  const sentences = [
    gradeText(report),
    `Contrast ${contrast_ratio}:1.`,
    `Print it at least ${millimetres} wide: phones can read that from ${print.distance_mm / 10} cm.`,
  ]
  if (quiet_zone < 4) sentences.push('The quiet zone is narrow: leave the paper around the code empty.')
  if (logo_on_alignment) sentences.push('The logo covers an alignment pattern, which some scanners need.')
  return sentences.join(' ')
}

function gradeText({ scannability, inverted }: Report): string {
  switch (scannability) {
    case 'excellent':
      return 'Excellent: it scans even when small, blurred, noisy or faded.'
    case 'good':
      return 'Good: it scans even when rather small, slightly blurred, or at half the contrast.'
    case 'fair':
      return 'Fair: it scans under good conditions. Print it larger, and test it with different phones.'
    case 'poor':
      return `Poor: many scanners cannot read a code ${inverted ? 'that is light on dark' : 'with so little contrast'}.`
  }
}

/** Why there is no report right now. */
export function unavailableText(unavailable: Unavailable): string {
  if (typeof unavailable === 'object') return `The check is paused: ${unavailable.limit}.`
  const why = { busy: 'is busy right now', unreachable: 'cannot be reached right now' }[unavailable]
  return `The check ${why}. The design will be checked when you save it.`
}
