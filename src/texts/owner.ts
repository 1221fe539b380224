import type { ByLanguage } from './language.ts'

const en = {
  pageTitle: (name: string) => `${name}: your link`,
  sections: {
    label: 'Sections of this page',
    top: 'Overview',
    statistics: 'Statistics',
    destination: 'Destination',
    design: 'QR design',
    settings: 'Settings',
    delete: 'Delete',
  },
  states: {
    active: 'Active',
    paused: 'Paused',
    scheduled: 'Active, scheduled by rules',
    limited: 'Active, limited by rules',
    removed: 'Blocked',
  },
  blocked: {
    list: (at: string) => `The malware and phishing filter blocked this link on ${at}.`,
    operator: (at: string) => `The operator blocked this link on ${at}.`,
    legal: (at: string) => `The operator blocked this link on ${at}, following a legal order.`,
  },
  blockedBecause: (reason: string) => `Reason: ${reason}.`,
  blockedListed: (address: string) => `Reason: ${address} is on a list of harmful addresses.`,
  blockedSince: 'Visitors see a page that says so. You can delete the link, but not change it.',
  warned: (at: string) =>
    `Since ${at}, the operator warns visitors: browsers show a page that names the destination first.`,
  reported: (at: string) => `People from several networks had reported this link by ${at}.`,
  reportedMostly: {
    phishing: 'Most say that it is phishing.',
    malware: 'Most say that it leads to malware.',
    scam: 'Most say that it is a scam.',
    spam: 'Most say that it is spam.',
    illegal: 'Most say that it is illegal.',
    other: 'Most give another reason.',
  },
  rekeyed: (at: string) =>
    `On ${at} the operator of this service gave out a new private address of this link, and has seen it. If that was not at your wish, ask them.`,
  rekeyedSo: 'Get an address that only you know',
  reportedSo:
    'Reports change nothing by themselves: the operator looks at them. If you did not expect this, check where the link leads.',
  leadsTo: 'It leads to',
  rulesFirst: (count: number) =>
    count === 1 ? 'One rule is checked before this.' : `${count} rules are checked before this.`,
  showRules: 'See the rules',
  change: 'Change',
  newTarget: 'New destination',
  save: 'Save',
  otherwise: 'where the link leads when nothing above applies',
  printedStay: 'Printed codes lead there right after you save.',
  shortLink: 'Short link',
  copy: 'Copy',
  check: 'Check where it leads',
  code: (url: string) => `QR code of ${url}`,
  poor: 'Hard to scan',
  created: 'Created',
  changed: 'Last changed',
  notices: {
    saved: 'Saved.',
    designed:
      'The design is saved: the code at the top of this page and the downloads have it. Printed codes still work.',
    'designed-poor':
      'The design is saved, although it scans poorly. Test the code with several phones before you print it.',
    paused: 'The link is paused.',
    resumed: 'The link is active again.',
    undeleted: 'The link is back, with everything that belongs to it.',
    reverted: 'The earlier version is in effect again. Below it says what that has changed.',
    ruled: 'The rules are saved and in effect.',
  },
  trimmed: 'Invisible characters before or after an address were left out.',
  toCollection: 'The collection',
  another: 'Create another link',
}

const de: typeof en = {
  pageTitle: (name) => `${name}: Ihr Link`,
  sections: {
    label: 'Abschnitte dieser Seite',
    top: 'Überblick',
    statistics: 'Statistik',
    destination: 'Ziel',
    design: 'QR-Gestaltung',
    settings: 'Einstellungen',
    delete: 'Löschen',
  },
  states: {
    active: 'Aktiv',
    paused: 'Pausiert',
    scheduled: 'Aktiv, nach Zeitplan',
    limited: 'Aktiv, durch Regeln begrenzt',
    removed: 'Gesperrt',
  },
  blocked: {
    list: (at) => `Der Filter gegen Schadsoftware und Phishing hat diesen Link am ${at} gesperrt.`,
    operator: (at) => `Der Betreiber hat diesen Link am ${at} gesperrt.`,
    legal: (at) => `Der Betreiber hat diesen Link am ${at} aufgrund einer rechtlichen Anordnung gesperrt.`,
  },
  blockedBecause: (reason) => `Grund: ${reason}.`,
  blockedListed: (address) => `Grund: ${address} steht auf einer Liste schädlicher Adressen.`,
  blockedSince: 'Besucher sehen eine Seite, auf der das steht. Sie können den Link löschen, aber nicht ändern.',
  warned: (at) => `Seit dem ${at} warnt der Betreiber Besucher: Browser zeigen zuerst eine Seite, die das Ziel nennt.`,
  reported: (at) => `Personen aus mehreren Netzen hatten diesen Link bis zum ${at} gemeldet.`,
  reportedMostly: {
    phishing: 'Die meisten nennen Phishing.',
    malware: 'Die meisten nennen Schadsoftware.',
    scam: 'Die meisten nennen Betrug.',
    spam: 'Die meisten nennen Spam.',
    illegal: 'Die meisten nennen illegale Inhalte.',
    other: 'Die meisten nennen einen anderen Grund.',
  },
  rekeyed: (at) =>
    `Am ${at} hat der Betreiber dieses Dienstes eine neue private Adresse dieses Links ausgegeben und sie gesehen. Wenn Sie das nicht wollten, fragen Sie ihn.`,
  rekeyedSo: 'Eine Adresse erstellen, die nur Sie kennen',
  reportedSo:
    'Meldungen allein ändern nichts: Der Betreiber sieht sie sich an. Wenn Sie das nicht erwartet haben, prüfen Sie, wohin der Link führt.',
  leadsTo: 'Er führt zu',
  rulesFirst: (count) => (count === 1 ? 'Eine Regel wird vorher geprüft.' : `${count} Regeln werden vorher geprüft.`),
  showRules: 'Zu den Regeln',
  change: 'Ändern',
  newTarget: 'Neues Ziel',
  save: 'Speichern',
  otherwise: 'wohin der Link führt, wenn nichts davon zutrifft',
  printedStay: 'Gedruckte Codes führen sofort nach dem Speichern dorthin.',
  shortLink: 'Kurzlink',
  copy: 'Kopieren',
  check: 'Prüfen, wohin er führt',
  code: (url) => `QR-Code von ${url}`,
  poor: 'Schwer zu scannen',
  created: 'Erstellt',
  changed: 'Zuletzt geändert',
  notices: {
    saved: 'Gespeichert.',
    designed:
      'Die Gestaltung ist gespeichert: Der Code oben auf dieser Seite und die Downloads haben sie. Gedruckte Codes funktionieren weiter.',
    'designed-poor':
      'Die Gestaltung ist gespeichert, obwohl sie sich schlecht scannen lässt. Prüfen Sie den Code mit mehreren Handys, bevor Sie ihn drucken.',
    paused: 'Der Link ist pausiert.',
    resumed: 'Der Link ist wieder aktiv.',
    undeleted: 'Der Link ist wieder da, mit allem, was dazugehört.',
    reverted: 'Die frühere Fassung gilt wieder. Unten steht, was sich dadurch geändert hat.',
    ruled: 'Die Regeln sind gespeichert und gelten.',
  },
  trimmed: 'Unsichtbare Zeichen vor oder nach einer Adresse wurden weggelassen.',
  toCollection: 'Die Sammlung',
  another: 'Noch einen Link erstellen',
}

/** The frame of the owner's page. */
export const ownerTexts: ByLanguage<typeof en> = { en, de }
