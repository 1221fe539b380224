import type { ByLanguage } from './language.ts'

const en = {
  key: 'Key of this service',
  keyHint: 'only people whom the operator has given a key can create here; your browser may offer to remember it',
  closedTitle: 'Nothing can be created here',
  closed:
    'The operator has closed this service for new links and domains. Links that exist keep working, and their owners can change them.',
}

const de: typeof en = {
  key: 'Schlüssel dieses Dienstes',
  keyHint:
    'erstellen kann hier nur, wem der Betreiber einen Schlüssel gegeben hat; Ihr Browser kann ihn sich auf Wunsch merken',
  closedTitle: 'Hier kann nichts erstellt werden',
  closed:
    'Der Betreiber nimmt auf diesem Dienst keine neuen Links und Domains an. Bestehende Links funktionieren weiter, und wem sie gehören, kann sie ändern.',
}

/** What forms say where only some people may create, or nobody. */
export const creationTexts: ByLanguage<typeof en> = { en, de }
