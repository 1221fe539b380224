import type { ByLanguage } from './language.ts'

const en = {
  title: 'History',
  lead: 'What you changed, newest first. The last 50 versions are kept. Going back is a change like any other, and can itself be taken back.',
  none: 'Nothing has been changed since the link was created.',
  present: 'Current version',
  first: 'Oldest version that is kept',
  unlisted: 'A setting whose earlier values are not kept, such as the webhook',
  older: (count: number) => (count === 1 ? 'One older version' : `${count} older versions`),
  revert: 'Go back to this version',
  of: (time: string) => `of ${time}`,
  before: 'before',
  after: 'now',
  fields: {
    target: 'Destination',
    title: 'Title',
    campaign: 'Campaign',
    utm: 'UTM parameters',
    rules: 'Rules',
    placements: 'Placements',
    active: 'State',
    design: 'Design of the QR code',
    has_password: 'Password',
  },
  values: { none: 'nothing', active: 'active', paused: 'paused', set: 'set', plain: 'plain', designed: 'designed' },
  other: 'another setting',
  overtaken:
    'This link was changed elsewhere since you opened this page. Nothing was changed now; please look at the history below and try again.',
  refused: (reason: string) => `The earlier version cannot be used again. ${reason}`,
  conflict: {
    text: 'This link was changed elsewhere since you opened this page. Your changes are below: save again to overwrite the other ones.',
    field: 'Field',
    theirs: 'Saved elsewhere',
    yours: 'Your change',
  },
}

const de: typeof en = {
  title: 'Verlauf',
  lead: 'Was Sie geändert haben, das Neueste zuerst. Die letzten 50 Fassungen bleiben erhalten. Zurückgehen ist eine Änderung wie jede andere und lässt sich ebenso zurücknehmen.',
  none: 'Seit der Link erstellt wurde, ist nichts geändert worden.',
  present: 'Jetzige Fassung',
  first: 'Älteste Fassung, die erhalten ist',
  unlisted: 'Eine Einstellung, von der keine früheren Werte aufbewahrt werden, etwa der Webhook',
  older: (count) => (count === 1 ? 'Eine ältere Fassung' : `${count} ältere Fassungen`),
  revert: 'Zu dieser Fassung zurück',
  of: (time) => `vom ${time}`,
  before: 'vorher',
  after: 'jetzt',
  fields: {
    target: 'Ziel',
    title: 'Titel',
    campaign: 'Kampagne',
    utm: 'UTM-Parameter',
    rules: 'Regeln',
    placements: 'Platzierungen',
    active: 'Zustand',
    design: 'Gestaltung des QR-Codes',
    has_password: 'Passwort',
  },
  values: {
    none: 'nichts',
    active: 'aktiv',
    paused: 'pausiert',
    set: 'festgelegt',
    plain: 'schlicht',
    designed: 'gestaltet',
  },
  other: 'eine andere Einstellung',
  overtaken:
    'Dieser Link wurde anderswo geändert, seit Sie diese Seite geöffnet haben. Jetzt wurde nichts geändert; bitte sehen Sie unten in den Verlauf und versuchen Sie es noch einmal.',
  refused: (reason) => `Die frühere Fassung kann nicht wieder gelten. ${reason}`,
  conflict: {
    text: 'Dieser Link wurde anderswo geändert, seit Sie diese Seite geöffnet haben. Ihre Änderungen stehen unten: Speichern Sie noch einmal, um die anderen zu überschreiben.',
    field: 'Feld',
    theirs: 'Anderswo gespeichert',
    yours: 'Ihre Änderung',
  },
}

/** The history of a link, and changes that conflict. */
export const historyTexts: ByLanguage<typeof en> = { en, de }
