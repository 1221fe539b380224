import type { ByLanguage } from './language.ts'

const en = {
  title: 'Report a link',
  lead: 'Does a short link or a QR code of this service lead to something harmful? Tell its operator.',
  code: 'Short link or code',
  reason: 'What is wrong with it?',
  reasons: {
    phishing: 'It asks for passwords or money under a false name',
    malware: 'It spreads harmful software',
    scam: 'It is another kind of fraud',
    spam: 'It is unsolicited advertising',
    illegal: 'It breaks the law',
    other: 'Something else',
  },
  details: 'Details',
  detailsHint: 'optional; no personal data',
  send: 'Report',
  privacy: 'This service stores nothing by which you could be found.',
  faults: {
    code: 'This is not a code or a short link of this service. Of a link under another name, enter only what follows the name and the /.',
    reason: 'Please choose the reason that fits best.',
    details: 'Please shorten this to 2,000 characters, and leave out control characters.',
  },
  correct: 'Not sent yet. Please correct the marked fields.',
  unknown: (code: string) => `No link has the code ${code}. Please check it.`,
  gone: (code: string) => `The link ${code} was already deleted by its owner.`,
  removed: (code: string) => `The link ${code} is already blocked.`,
  thanks: 'Thank you',
  received: (code: string) =>
    `Your report of ${code} was received. If it leads to something harmful, it will be blocked.`,
  another: 'Report another',
}

const de: typeof en = {
  title: 'Link melden',
  lead: 'Führt ein Kurzlink oder ein QR-Code dieses Dienstes zu etwas Schädlichem? Sagen Sie es dem Betreiber.',
  code: 'Kurzlink oder Code',
  reason: 'Was stimmt damit nicht?',
  reasons: {
    phishing: 'Er fragt unter falschem Namen nach Passwörtern oder Geld',
    malware: 'Er verbreitet Schadsoftware',
    scam: 'Es ist ein anderer Betrug',
    spam: 'Es ist unerwünschte Werbung',
    illegal: 'Er verstößt gegen das Gesetz',
    other: 'Etwas anderes',
  },
  details: 'Einzelheiten',
  detailsHint: 'freiwillig; keine persönlichen Daten',
  send: 'Melden',
  privacy: 'Dieser Dienst speichert nichts, woran man Sie erkennen könnte.',
  faults: {
    code: 'Das ist kein Code und kein Kurzlink dieses Dienstes. Von einem Link unter einem anderen Namen geben Sie nur ein, was auf den Namen und das / folgt.',
    reason: 'Bitte wählen Sie den Grund, der am besten passt.',
    details: 'Bitte kürzen Sie das auf 2.000 Zeichen, und lassen Sie Steuerzeichen weg.',
  },
  correct: 'Noch nicht gesendet. Bitte korrigieren Sie die markierten Felder.',
  unknown: (code) => `Kein Link hat den Code ${code}. Bitte prüfen Sie ihn.`,
  gone: (code) => `Der Link ${code} wurde schon gelöscht.`,
  removed: (code) => `Der Link ${code} ist schon gesperrt.`,
  thanks: 'Vielen Dank',
  received: (code) => `Ihre Meldung zu ${code} ist angekommen. Führt er zu etwas Schädlichem, wird er gesperrt.`,
  another: 'Noch einen melden',
}

/** The page on which anyone can report a code. */
export const reportTexts: ByLanguage<typeof en> = { en, de }
