import { writeRecords } from '../../lib/csv.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import type { Language } from '../../texts/language.ts'

const rows = {
  en: [
    ['https://example.com/menu', '', 'Menu at table 1', 'Tables'],
    ['https://example.com/menu?table=2', '', 'Menu at table 2', 'Tables'],
    ['https://example.com/offers', '', 'Poster in the window', 'Spring'],
  ],
  de: [
    ['https://example.com/karte', '', 'Karte an Tisch 1', 'Tische'],
    ['https://example.com/karte?tisch=2', '', 'Karte an Tisch 2', 'Tische'],
    ['https://example.com/angebote', '', 'Plakat im Fenster', 'Frühling'],
  ],
} satisfies Record<Language, string[][]>

/** A list to try out, which spreadsheets open: the mark at its start tells them that it is UTF-8. */
export function sampleList(language: Language): string {
  const { target, alias, title, campaign } = bulkTexts[language].fields
  return `\uFEFF${writeRecords([[target, alias, title, campaign], ...rows[language]])}`
}
