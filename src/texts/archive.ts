import type { ByLanguage } from './language.ts'

const en = {
  title: 'Download all codes',
  lead: 'The image of each code as a file of its own, with its design, and a table that says which is which: one ZIP, for a print shop or a designer.',
  format: 'Files',
  formats: {
    svg: 'SVG, sharp at each size',
    png: 'PNG, 1024 pixels wide',
    pdf: 'PDF, 50 mm wide',
  },
  names: 'Named by',
  named: { title: 'the title of the link', code: 'the end of its address' },
  campaign: 'Only the campaign',
  all: 'all',
  none: '(without one)',
  part: 'Links',
  partHint: 'in the order of their creation',
  button: 'Download the ZIP',
  refused: 'There is no such ZIP',
}

const de: typeof en = {
  title: 'Alle Codes herunterladen',
  lead: 'Das Bild jedes Codes als eigene Datei, mit seiner Gestaltung, und eine Tabelle, die sagt, welches welches ist: ein ZIP, für die Druckerei oder die Agentur.',
  format: 'Dateien',
  formats: {
    svg: 'SVG, in jeder Größe scharf',
    png: 'PNG, 1024 Pixel breit',
    pdf: 'PDF, 50 mm breit',
  },
  names: 'Benannt nach',
  named: { title: 'dem Titel des Links', code: 'dem Ende seiner Adresse' },
  campaign: 'Nur die Kampagne',
  all: 'alle',
  none: '(ohne)',
  part: 'Links',
  partHint: 'in der Reihenfolge, in der sie entstanden sind',
  button: 'ZIP herunterladen',
  refused: 'Ein solches ZIP gibt es nicht',
}

/** The form that downloads the images of a collection's codes. */
export const archiveTexts: ByLanguage<typeof en> = { en, de }
