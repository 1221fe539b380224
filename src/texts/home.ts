import type { ByLanguage } from './language.ts'

const en = {
  title: 'quirl: short links and QR codes',
  description: 'Make a short link with a QR code, and change where it leads after printing. No account needed.',
  heading: 'Print the code once. Change where it leads at any time.',
  lead: 'Make a short link with a QR code. No account, no expiry, no watermark.',
  kinds: 'Kind of link',
  target: 'Where should it lead?',
  targetHint: 'the address of a web page, for example example.com/menu',
  more: 'More options',
  utmHint: 'These tags show the linked website’s analytics where visitors came from.',
  create: 'Create',
  collection: {
    label: 'Add to',
    none: 'no collection',
    chosen: 'the collection that you chose',
    faults: {
      collection_not_found:
        'This collection no longer exists, or has a new private address. Choose another one, or none.',
      collection_full: 'This collection has 10,000 links, and no room for more. Choose another one, or none.',
    },
  },
  /** In these, which the script uses as well, `{code}` and `{address}` stand for what was typed. */
  live: {
    scan: 'Scan me',
    preview: 'Preview',
    picture: 'QR code of {address}',
    placeholder: 'This is how it will be printed on A4. The last part of the address is chosen when you press Create.',
    chosen: 'This is how it will be printed on A4. It works once you have pressed Create.',
    final: 'Visitors arrive at',
    checking: 'Checking whether this code is free …',
    free: '“{code}” is free.',
    taken: '“{code}” is already taken.',
    reserved: '“{code}” is reserved for pages of this service.',
    invalid: 'Only letters from a to z, digits, - and _ are possible, at most 64.',
    unknown: 'Whether this code is free can be seen once you press Create.',
    phone: 'On a phone',
    file: '“{host}” looks like the name of a file. A link leads to a web address: upload the file to your website or a cloud storage first, and enter the address that it gets there.',
  },
  reachability: {
    heading: {
      machine: 'These codes work on this machine only.',
      network: 'These codes work in this network only.',
    },
    reason: (origin: string) => `They hold the address ${origin}, which other people’s phones cannot open.`,
    remedy: 'Do not print them yet: the operator of this service first sets its public address as',
  },
}

const de: typeof en = {
  title: 'quirl: Kurzlinks und QR-Codes',
  description: 'Erstellen Sie einen Kurzlink mit QR-Code, und ändern Sie sein Ziel auch nach dem Druck. Ohne Konto.',
  heading: 'Den Code einmal drucken. Sein Ziel jederzeit ändern.',
  lead: 'Erstellen Sie einen Kurzlink mit QR-Code. Ohne Konto, ohne Ablaufdatum, ohne Wasserzeichen.',
  kinds: 'Art des Links',
  target: 'Wohin soll er führen?',
  targetHint: 'die Adresse einer Webseite, zum Beispiel example.com/speisekarte',
  more: 'Weitere Angaben',
  utmHint: 'Damit erkennt die Statistik der verlinkten Website, woher ihre Besucher kommen.',
  create: 'Erstellen',
  collection: {
    label: 'Hinzufügen zu',
    none: 'keiner Sammlung',
    chosen: 'der gewählten Sammlung',
    faults: {
      collection_not_found:
        'Diese Sammlung gibt es nicht mehr, oder sie hat eine neue private Adresse. Wählen Sie eine andere oder keine.',
      collection_full:
        'Diese Sammlung hat 10.000 Links und keinen Platz für weitere. Wählen Sie eine andere oder keine.',
    },
  },
  live: {
    scan: 'Hier scannen',
    preview: 'Vorschau',
    picture: 'QR-Code von {address}',
    placeholder:
      'So wird er auf A4 gedruckt. Der letzte Teil der Adresse wird gewählt, wenn Sie auf „Erstellen“ drücken.',
    chosen: 'So wird er auf A4 gedruckt. Er funktioniert, sobald Sie auf „Erstellen“ gedrückt haben.',
    final: 'Besucher landen auf',
    checking: 'Ist dieser Code noch frei? Wird geprüft …',
    free: '„{code}“ ist frei.',
    taken: '„{code}“ ist schon vergeben.',
    reserved: '„{code}“ ist für Seiten dieses Dienstes reserviert.',
    invalid: 'Möglich sind nur Buchstaben von a bis z, Ziffern, - und _, höchstens 64.',
    unknown: 'Ob dieser Code frei ist, zeigt sich, wenn Sie auf „Erstellen“ drücken.',
    phone: 'Auf dem Handy',
    file: '„{host}“ sieht aus wie der Name einer Datei. Ein Link führt zu einer Webadresse: Laden Sie die Datei zuerst auf Ihre Website oder in einen Cloud-Speicher, und geben Sie die Adresse ein, die sie dort bekommt.',
  },
  reachability: {
    heading: {
      machine: 'Diese Codes funktionieren nur auf diesem Rechner.',
      network: 'Diese Codes funktionieren nur in diesem Netz.',
    },
    reason: (origin: string) => `Sie enthalten die Adresse ${origin}, die andere mit ihren Handys nicht öffnen können.`,
    remedy: 'Drucken Sie sie noch nicht: Der Betreiber dieses Dienstes legt zuerst seine öffentliche Adresse fest, mit',
  },
}

/** The start page, and the warning that codes cannot be reached. */
export const homeTexts: ByLanguage<typeof en> = { en, de }
