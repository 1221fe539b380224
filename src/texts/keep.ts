import type { ByLanguage } from './language.ts'

const en = {
  title: 'How you get back',
  address: 'Private address of this page',
  only: 'Only the private address of this page leads back here.',
  more: 'Whoever has it can change and delete the link. Nobody can recover it.',
  bookmark: 'Save the address above as a bookmark, or send it to yourself.',
  send: 'Send it to myself',
  copy: 'Copy',
  copyIt: 'Copy the private address',
  save: 'Save',
  saveIt: 'Save as .txt file',
  fileName: (code: string) => `private address of ${code}`,
  seen: 'Could others have seen it?',
  renew: 'Get a new private address',
  message: (name: string, shortUrl: string, address: string) => ({
    title: `Your link “${name}”`,
    text: `Short link: ${shortUrl}\nPrivate address of its page (only for you): ${address}\n`,
  }),
  island: {
    kept: 'Kept on this device: you find the link in My links on the start page. A private window forgets it.',
    notKept: 'Not kept on this device.',
    dropped: 'No longer kept on this device. Send or copy the private address before you leave this page.',
    notDropped:
      'This browser did not remove it. Please delete the data of this website in the settings of the browser.',
    failed: 'This browser does not keep it. Please send or copy the private address before you leave this page.',
    full: 'No more links can be kept on this device. Please send or copy the private address before you leave this page, or forget some links in My links.',
    here: 'kept on this device',
    notHere: 'not kept on this device',
    keep: 'Keep on this device',
    drop: 'Shared device? Do not keep it',
  },
}

const de: typeof en = {
  title: 'So kommen Sie zurück',
  address: 'Private Adresse dieser Seite',
  only: 'Nur die private Adresse dieser Seite führt hierher zurück.',
  more: 'Wer sie hat, kann den Link ändern und löschen. Niemand kann sie wiederherstellen.',
  bookmark: 'Speichern Sie die Adresse oben als Lesezeichen, oder senden Sie sie sich.',
  send: 'An mich senden',
  copy: 'Kopieren',
  copyIt: 'Private Adresse kopieren',
  save: 'Speichern',
  saveIt: 'Als .txt-Datei speichern',
  fileName: (code) => `Private Adresse von ${code}`,
  seen: 'Könnten andere sie gesehen haben?',
  renew: 'Neue private Adresse erstellen',
  message: (name, shortUrl, address) => ({
    title: `Ihr Link „${name}“`,
    text: `Kurzlink: ${shortUrl}\nPrivate Adresse seiner Seite (nur für Sie): ${address}\n`,
  }),
  island: {
    kept: 'Auf diesem Gerät gespeichert: Sie finden den Link unter „Meine Links“ auf der Startseite. Ein privates Fenster vergisst ihn.',
    notKept: 'Nicht auf diesem Gerät gespeichert.',
    dropped:
      'Nicht mehr auf diesem Gerät gespeichert. Senden oder kopieren Sie die private Adresse, bevor Sie diese Seite verlassen.',
    notDropped:
      'Dieser Browser hat sie nicht entfernt. Bitte löschen Sie die Daten dieser Website in den Einstellungen des Browsers.',
    failed:
      'Dieser Browser behält sie nicht. Bitte senden oder kopieren Sie die private Adresse, bevor Sie diese Seite verlassen.',
    full: 'Auf diesem Gerät ist kein Platz für weitere Links. Bitte senden oder kopieren Sie die private Adresse, bevor Sie diese Seite verlassen, oder entfernen Sie einige unter „Meine Links“.',
    here: 'auf diesem Gerät gespeichert',
    notHere: 'nicht auf diesem Gerät gespeichert',
    keep: 'Auf diesem Gerät behalten',
    drop: 'Geteiltes Gerät? Nicht behalten',
  },
}

/** How the owner of a link finds its page again. */
export const keepTexts: ByLanguage<typeof en> = { en, de }

export type KeepIslandTexts = typeof en.island
