import type { Report } from '../../qr/design/job.ts'
import type { Silence } from './check.ts'

/** What the check says of a design that can be scanned, as sentences. */
export function reportInWords(report: Report): string {
  const { contrast_ratio, print, quiet_zone, logo_on_alignment } = report
  const millimetres = `${print.smallest_mm} mm`
  const sentences = [
    gradeInWords(report),
    `Contrast ${contrast_ratio}:1.`,
    `Print it at least ${millimetres} wide; phones read that from ${print.distance_mm / 10} cm.`,
  ]
  if (quiet_zone < 4) sentences.push('Leave the paper around it empty: its quiet zone is narrow.')
  if (logo_on_alignment) sentences.push('The logo hides a pattern that some scanners go by.')
  return sentences.join(' ')
}

function gradeInWords({ scannability, inverted }: Report): string {
  switch (scannability) {
    case 'excellent':
      return 'Excellent: it also scans when small, blurred, noisy or faded.'
    case 'good':
      return 'Good: it also scans when rather small, a little blurred, or at half the contrast.'
    case 'fair':
      return 'Fair: it scans as it is. Print it larger, and try it on the phones that matter.'
    case 'poor':
      return `Poor: ${inverted ? 'it is light on dark' : 'its colours are weak'}, which many scanners do not take.`
  }
}

/** Why there is no verdict now. It changes nothing about the design. */
export function silenceInWords(silence: Silence): string {
  if (typeof silence === 'object') return `The check takes a rest: ${silence.limit}.`
  const why = { busy: 'is busy right now', away: 'cannot be reached right now' }[silence]
  return `The check ${why}. The design is checked when you use it.`
}
