import type { ByLanguage } from './language.ts'

const en = {
  title: 'Delete',
  lead: 'This deletes the link for good, with everything that belongs to it:',
  what: (scans: number | undefined) => [
    'the short link and its QR code: printed codes stop working, and nobody ever gets this code again',
    scans === undefined || scans === 0
      ? 'the statistics'
      : `the statistics of ${scans === 1 ? 'one visit' : `${scans.toLocaleString('en')} visits`}`,
    'the design, the history, the shared views and the webhook',
  ],
  uncounted: 'The visits of this link cannot be counted at the moment.',
  export: 'Export the visits first (CSV)',
  sure: 'Yes, delete this link',
  sureFault: 'Please tick this box first.',
  code: (code: string) => `Type the code ${code} to confirm`,
  codeHint: 'Capital and small letters are the same.',
  codeFault: (code: string) => `Not deleted. What you typed is not the code of this link, ${code}.`,
  button: 'Delete for good',
  page: {
    title: 'Deleted',
    lead: (code: string) => `The link ${code} and everything stored about it are deleted.`,
    create: 'Create another link',
    toCollection: 'Back to the collection',
  },
}

const de: typeof en = {
  title: 'Löschen',
  lead: 'Das löscht den Link endgültig, mit allem, was dazugehört:',
  what: (scans) => [
    'den Kurzlink und seinen QR-Code: Gedruckte Codes funktionieren nicht mehr, und niemand bekommt diesen Code je wieder',
    scans === undefined || scans === 0
      ? 'die Statistik'
      : `die Statistik ${scans === 1 ? 'eines Besuchs' : `von ${scans.toLocaleString('de')} Besuchen`}`,
    'die Gestaltung, den Verlauf, die Freigaben und den Webhook',
  ],
  uncounted: 'Die Besuche dieses Links lassen sich im Moment nicht zählen.',
  export: 'Zuerst die Besuche exportieren (CSV)',
  sure: 'Ja, diesen Link löschen',
  sureFault: 'Bitte kreuzen Sie zuerst dieses Kästchen an.',
  code: (code) => `Geben Sie zur Bestätigung den Code ${code} ein`,
  codeHint: 'Groß- und Kleinschreibung spielt keine Rolle.',
  codeFault: (code) => `Nicht gelöscht. Ihre Eingabe ist nicht der Code dieses Links, ${code}.`,
  button: 'Endgültig löschen',
  page: {
    title: 'Gelöscht',
    lead: (code) => `Der Link ${code} und alles, was über ihn gespeichert war, sind gelöscht.`,
    create: 'Einen anderen Link erstellen',
    toCollection: 'Zurück zur Sammlung',
  },
}

/** The deletion of a link. */
export const deleteTexts: ByLanguage<typeof en> = { en, de }
