import type { ByLanguage } from './language.ts'

const en = {
  ready: 'Your link is ready',
  lead: 'It works already, and so does its QR code.',
  share: 'Share',
  copyLink: 'Copy the short link',
  image: (shortUrl: string) => `QR code of ${shortUrl}`,
  download: (format: string) => `Download the QR code as ${format}`,
  check: 'Check where it leads',
  keyTitle: 'Save the key now',
  key: 'This address is the only key to this link.',
  keyMore:
    'With it you change where the link leads, read its statistics or delete it. Nobody can recover it, and whoever has it can do the same.',
  copyKey: 'Copy the key',
  save: 'Save as .txt file',
  keep: 'Keep on this device',
  keepHint: 'It is then in My links on the start page of this browser. Leave it out on a computer that others use.',
  without: 'Save the address above as a bookmark, for example.',
  island: {
    kept: 'Kept on this device.',
    dropped: 'No longer kept on this device.',
    failed: 'This browser did not store the key. Please save it in another way.',
    full: 'No more links can be kept on this device. Please forget some of them first.',
    file: 'Short link: {short}\nKey (only for you): {key}\n',
    fileName: 'key of {code}.txt',
  },
}

const de: typeof en = {
  ready: 'Ihr Link ist fertig',
  lead: 'Er funktioniert sofort, und sein QR-Code auch.',
  share: 'Teilen',
  copyLink: 'Kurzlink kopieren',
  image: (shortUrl) => `QR-Code von ${shortUrl}`,
  download: (format) => `QR-Code als ${format} herunterladen`,
  check: 'Ziel prüfen',
  keyTitle: 'Schlüssel jetzt sichern',
  key: 'Diese Adresse ist der einzige Schlüssel zu diesem Link.',
  keyMore:
    'Mit ihr ändern Sie das Ziel, lesen die Statistik oder löschen den Link. Niemand kann sie wiederherstellen, und wer sie hat, kann dasselbe tun.',
  copyKey: 'Schlüssel kopieren',
  save: 'Als .txt-Datei speichern',
  keep: 'Auf diesem Gerät behalten',
  keepHint:
    'Dann steht er unter „Meine Links“ auf der Startseite dieses Browsers. Wählen Sie das nicht auf einem Computer, den andere benutzen.',
  without: 'Speichern Sie die Adresse zum Beispiel als Lesezeichen.',
  island: {
    kept: 'Der Schlüssel bleibt auf diesem Gerät.',
    dropped: 'Der Schlüssel ist nicht mehr auf diesem Gerät.',
    failed: 'Dieser Browser hat den Schlüssel nicht gespeichert. Bitte sichern Sie ihn auf andere Weise.',
    full: 'Auf diesem Gerät ist kein Platz für weitere Links. Bitte entfernen Sie zuerst einige.',
    file: 'Kurzlink: {short}\nSchlüssel (nur für Sie): {key}\n',
    fileName: 'Schlüssel von {code}.txt',
  },
}

/** The panel that follows a creation. */
export const createdTexts: ByLanguage<typeof en> = { en, de }

export type CreatedIslandTexts = typeof en.island
