import type { ByLanguage } from './language.ts'

const en = {
  ready: 'Your link is ready',
  share: 'Share',
  copyLink: 'Copy the short link',
  image: (shortUrl: string) => `QR code of ${shortUrl}`,
  check: 'Check where it leads',
  toPage: 'Change, design and follow this link',
}

const de: typeof en = {
  ready: 'Ihr Link ist fertig',
  share: 'Teilen',
  copyLink: 'Kurzlink kopieren',
  image: (shortUrl) => `QR-Code von ${shortUrl}`,
  check: 'Ziel prüfen',
  toPage: 'Diesen Link ändern, gestalten und auswerten',
}

/** The panel that follows a creation. */
export const createdTexts: ByLanguage<typeof en> = { en, de }
