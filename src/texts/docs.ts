import type { ByLanguage } from './language.ts'

const en = {
  title: 'API',
  description:
    'Every endpoint of this service, with examples that work as pasted: create links, read statistics, draw QR codes.',
  lead: 'Programs can do everything these pages do.',
  creation: {
    open: 'You need no account.',
    token:
      'You need no account. To create links you need the access code of this service, which its operator gives out.',
    closed: 'Nothing can be created here: the operator has closed this service for new links and domains.',
  },
  document: 'OpenAPI document',
  problems: 'All errors',
}

const de: typeof en = {
  title: 'API',
  description:
    'Alle Endpunkte dieses Dienstes mit Beispielen, die sofort laufen: Links erstellen, Statistik lesen, QR-Codes zeichnen.',
  lead: 'Programme können alles, was diese Seiten können. Die Beschreibung ist auf Englisch.',
  creation: {
    open: 'Ein Konto brauchen Sie nicht.',
    token:
      'Ein Konto brauchen Sie nicht. Zum Erstellen brauchen Sie den Zugangscode dieses Dienstes, den der Betreiber vergibt.',
    closed: 'Hier kann nichts erstellt werden: Der Betreiber nimmt keine neuen Links und Domains an.',
  },
  document: 'OpenAPI-Dokument',
  problems: 'Alle Fehler',
}

/** The page of the API. */
export const docsTexts: ByLanguage<typeof en> = { en, de }
