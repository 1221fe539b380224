import type { ByLanguage } from './language.ts'

const en = {
  title: 'Delete',
  lead: 'This deletes the link, with everything that belongs to it. For 24 hours you can bring it back here; then it is gone for good:',
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
  button: 'Delete',
  page: {
    title: 'Deleted',
    lead: (code: string) =>
      `The link ${code} is deleted: visits of its short link and of its codes find nothing any more.`,
    until: (at: string) =>
      `Until ${at} you can bring it back as it was, with its visits, its design and everything else. Then it is deleted for good.`,
    undelete: 'Bring it back',
    forGood: 'Delete for good now',
    forGoodLead: 'Then nobody can bring it back, and nothing of it stays stored but the code, which nobody gets again.',
    forGoodButton: 'Delete for good',
    gone: (code: string) => `The link ${code} and everything stored about it are deleted.`,
    create: 'Create another link',
    toCollection: 'Back to the collection',
  },
}

const de: typeof en = {
  title: 'Löschen',
  lead: 'Das löscht den Link, mit allem, was dazugehört. 24 Stunden lang können Sie ihn hier zurückholen; danach ist er endgültig weg:',
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
  button: 'Löschen',
  page: {
    title: 'Gelöscht',
    lead: (code) => `Der Link ${code} ist gelöscht: Wer seinen Kurzlink oder seine Codes öffnet, findet nichts mehr.`,
    until: (at) =>
      `Bis ${at} können Sie ihn zurückholen, wie er war, mit seinen Besuchen, seiner Gestaltung und allem anderen. Danach wird er endgültig gelöscht.`,
    undelete: 'Zurückholen',
    forGood: 'Jetzt endgültig löschen',
    forGoodLead:
      'Dann kann ihn niemand mehr zurückholen, und nichts von ihm bleibt gespeichert außer dem Code, den niemand wieder bekommt.',
    forGoodButton: 'Endgültig löschen',
    gone: (code) => `Der Link ${code} und alles, was über ihn gespeichert war, sind gelöscht.`,
    create: 'Einen anderen Link erstellen',
    toCollection: 'Zurück zur Sammlung',
  },
}

/** The deletion of a link. */
export const deleteTexts: ByLanguage<typeof en> = { en, de }
