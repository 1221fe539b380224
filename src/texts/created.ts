import type { ByLanguage } from './language.ts'

const en = {
  ready: 'Your link is ready',
  lead: 'It works already, and so does its QR code.',
  share: 'Share',
  copyLink: 'Copy the short link',
  image: (shortUrl: string) => `QR code of ${shortUrl}`,
  download: (format: string) => `Download the QR code as ${format}`,
  check: 'Check where it leads',
}

const de: typeof en = {
  ready: 'Ihr Link ist fertig',
  lead: 'Er funktioniert sofort, und sein QR-Code auch.',
  share: 'Teilen',
  copyLink: 'Kurzlink kopieren',
  image: (shortUrl) => `QR-Code von ${shortUrl}`,
  download: (format) => `QR-Code als ${format} herunterladen`,
  check: 'Ziel prüfen',
}

/** The panel that follows a creation. */
export const createdTexts: ByLanguage<typeof en> = { en, de }
