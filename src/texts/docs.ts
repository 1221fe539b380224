import type { ByLanguage } from './language.ts'

const en = {
  title: 'API',
  description:
    'Every endpoint of this service, with examples that work as pasted: create links, read statistics, draw QR codes.',
  lead: 'Everything that the pages do, a program can do too, without an account and without an API key.',
  document: 'OpenAPI document',
  problems: 'All errors',
}

const de: typeof en = {
  title: 'API',
  description:
    'Alle Endpunkte dieses Dienstes mit Beispielen, die sofort laufen: Links erstellen, Statistik lesen, QR-Codes zeichnen.',
  lead: 'Alles, was die Seiten können, kann auch ein Programm, ohne Konto und ohne API-Schlüssel. Die Beschreibung ist auf Englisch.',
  document: 'OpenAPI-Dokument',
  problems: 'Alle Fehler',
}

/** The page of the API. */
export const docsTexts: ByLanguage<typeof en> = { en, de }
