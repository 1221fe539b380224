import type { ByLanguage } from './language.ts'

const en = {
  key: 'Access code of this service',
  keyHint: 'the operator of this service gives it to people who may create here',
  remember: 'Remember the access code on this device',
  lead: 'Make a short link with a QR code. No expiry, no watermark; to create one, you need the access code of this service.',
  noLinks: 'No links are kept on this device. If you have a file with links, import it.',
  closedTitle: 'Nothing can be created here',
  closed:
    'The operator has closed this service for new links and domains. Links that exist keep working, and their owners can change them.',
}

const de: typeof en = {
  key: 'Zugangscode dieses Dienstes',
  keyHint: 'ihn gibt der Betreiber dieses Dienstes allen, die hier etwas erstellen dürfen',
  remember: 'Zugangscode auf diesem Gerät merken',
  lead: 'Erstellen Sie einen Kurzlink mit QR-Code. Ohne Ablaufdatum, ohne Wasserzeichen; dafür brauchen Sie den Zugangscode dieses Dienstes.',
  noLinks: 'Auf diesem Gerät sind keine Links. Wenn Sie eine Datei mit Links haben, importieren Sie sie.',
  closedTitle: 'Hier kann nichts erstellt werden',
  closed:
    'Der Betreiber nimmt auf diesem Dienst keine neuen Links und Domains an. Bestehende Links funktionieren weiter, und wem sie gehören, kann sie ändern.',
}

/** What forms say where only some people may create, or nobody. */
export const creationTexts: ByLanguage<typeof en> = { en, de }
