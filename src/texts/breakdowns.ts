import type { ByLanguage } from './language.ts'

const en = {
  scans: 'Visits',
  share: 'Share',
  headings: {
    source: 'Source',
    device: 'Devices',
    os: 'Systems',
    browser: 'Browsers',
    country: 'Countries',
    city: 'Cities',
    referrer: 'Referrers',
    answer: 'Rules',
  },
  sources: { qr: 'QR code', link: 'Link' },
  devices: {
    mobile: 'Phone',
    tablet: 'Tablet',
    desktop: 'Computer',
    tv: 'TV',
    console: 'Game console',
    wearable: 'Watch',
    other: 'Other device',
  },
  unknown: 'Unknown',
  others: 'Others',
  direct: 'Directly, without a website',
  linkItself: 'No rule: the destination',
  rule: (number: string) => `Rule ${number}`,
}

const de: typeof en = {
  scans: 'Besuche',
  share: 'Anteil',
  headings: {
    source: 'Weg zum Link',
    device: 'Geräte',
    os: 'Systeme',
    browser: 'Browser',
    country: 'Länder',
    city: 'Städte',
    referrer: 'Verweisende Seiten',
    answer: 'Regeln',
  },
  sources: { qr: 'QR-Code', link: 'Link' },
  devices: {
    mobile: 'Handy',
    tablet: 'Tablet',
    desktop: 'Computer',
    tv: 'Fernseher',
    console: 'Spielkonsole',
    wearable: 'Uhr',
    other: 'Anderes Gerät',
  },
  unknown: 'Unbekannt',
  others: 'Andere',
  direct: 'Direkt, ohne Website',
  linkItself: 'Keine Regel: das Ziel',
  rule: (number) => `Regel ${number}`,
}

/** The values by which statistics break visits down. */
export const breakdownTexts: ByLanguage<typeof en> = { en, de }
export type BreakdownTexts = typeof en
