import type { ByLanguage } from './language.ts'

const enEvents = {
  'link.changed': 'The link was changed',
  'link.removed': 'The link was blocked for abuse',
  'link.reported': 'Many people have reported the link',
  'scans.milestone': 'It reached 10, 100, 1,000 … visits by people',
  'destination.failing': 'Its destination cannot be reached',
}

const enStates = {
  active: 'Active',
  failing: 'Failing',
  given_up: 'Given up',
  blocked: 'Blocked',
}

/** What is said of the webhook of a link, or of that of a collection. */
export interface WebhookWords {
  lead: string
  events: Record<keyof typeof enEvents, string>
  destination: (date: string) => string
}

const en = {
  shares: {
    title: 'Shared views',
    count: (count: number) => (count === 0 ? 'None' : String(count)),
    lead: 'A shared view is a page with the statistics of this link, for an agency or a customer. Whoever has its address reads it and can change nothing.',
    unnamed: 'Shared view without a name',
    since: (date: string) => `since ${date}`,
    csv: 'with single visits',
    destination: 'with destination',
    revoke: 'Revoke',
    revokeLead: 'Its address stops working at once. This cannot be undone.',
    revokeButton: 'Revoke this shared view',
    new: 'New shared view',
    name: 'Name',
    nameHint: 'Only you see it: the agency, or the customer.',
    nameFault: 'Use at most 100 characters, and no control characters.',
    withCsv: 'Include the table of single visits (CSV)',
    withDestination: 'Show where the link leads',
    hidden: 'Hidden as long as the link has a password.',
    button: 'Create shared view',
    full: (most: number) => `A link has at most ${most} shared views. Revoke one to create another.`,
    created: 'The shared view is created.',
    revoked: 'The shared view is revoked: its address no longer works.',
    page: {
      title: 'Your new shared view',
      lead: 'This address is shown only here. Send it to whoever may read the statistics; you can revoke it at any time.',
      label: 'The address of the shared view',
      open: 'Open the shared view',
    },
  },
  webhook: {
    title: 'Webhook',
    off: 'None',
    disabled: 'The operator of this service has switched webhooks off.',
    lead: 'A webhook tells another program at once what happens to this link. You need it only if you have such a program.',
    address: 'Address of the program',
    addressHint: 'It begins with https:// and is public.',
    addressFault:
      'Enter a public address, for example https://example.com/hook: not of this service, and not in a private network.',
    portFault: 'The port after the name must be 80, 443, or one from 1024.',
    listedFault: 'This address is on a list of malware or phishing.',
    tell: 'Tell it when',
    events: enEvents,
    eventsFault: 'Choose at least one event.',
    button: 'Set webhook',
    save: 'Save webhook',
    retry: 'Save and try again',
    done: 'The webhook is saved.',
    removed: 'The webhook is removed.',
    states: enStates,
    none: 'Nothing was sent yet.',
    delivered: (date: string) => `Last delivered on ${date}.`,
    failing: 'The last attempt failed:',
    status: (status: number) => `the program answered with status ${status}.`,
    unreachable: 'the program cannot be reached, or it answered too late.',
    next: (date: string) => `The next attempt is on ${date}.`,
    givenUp: 'The attempts failed for days and have ended. Save the webhook again to start anew.',
    blocked:
      'Nothing is sent: the operator of this service has blocked this address, or it is on a list of malware and phishing. Messages wait for three days. Set another address, or ask the operator.',
    dropped: (count: number) =>
      count === 1 ? 'One message was never delivered.' : `${count.toLocaleString('en')} messages were never delivered.`,
    destination: (date: string) => `The destination of the link cannot be reached since ${date}.`,
    renew: 'A new secret',
    renewLead: 'If the secret is lost or others know it: the present one stops working at once.',
    renewButton: 'Get a new secret',
    remove: 'Remove the webhook',
    removeLead: 'Nothing is sent any more, and its secret is forgotten.',
    removeButton: 'Remove it',
    conflict:
      'This link was changed since you opened this page, so nothing was saved. If you have just loaded a secret again: the webhook is set. Get a new secret if you did not save it.',
    page: {
      title: 'The secret of your webhook',
      lead: 'Your program checks with it that a message is from here. It is shown only once: save it now.',
      label: 'The secret',
      after: 'The messages are signed as the standard “Standard Webhooks” says.',
      file: 'quirl webhook secret',
    },
  },
  /** What differs for a collection. */
  collectionWebhook: {
    lead: 'A webhook tells another program at once what happens to each link in this collection. You need it only if you have such a program.',
    events: {
      'link.changed': 'A link was changed',
      'link.removed': 'A link was blocked for abuse',
      'link.reported': 'Many people have reported a link',
      'scans.milestone': 'A link reached 10, 100, 1,000 … visits by people',
      'destination.failing': 'The destination of a link cannot be reached',
    },
    destination: (date: string) => `The destination of a link in this collection cannot be reached since ${date}.`,
  },
}

const de: typeof en = {
  shares: {
    title: 'Freigaben',
    count: (count) => (count === 0 ? 'Keine' : String(count)),
    lead: 'Eine Freigabe ist eine Seite mit der Statistik dieses Links, für eine Agentur oder einen Kunden. Wer ihre Adresse hat, kann sie ansehen, aber nichts ändern.',
    unnamed: 'Freigabe ohne Namen',
    since: (date) => `seit ${date}`,
    csv: 'mit einzelnen Besuchen',
    destination: 'mit Ziel',
    revoke: 'Widerrufen',
    revokeLead: 'Ihre Adresse gilt dann sofort nicht mehr. Das lässt sich nicht rückgängig machen.',
    revokeButton: 'Diese Freigabe widerrufen',
    new: 'Neue Freigabe',
    name: 'Name',
    nameHint: 'Nur Sie sehen ihn: die Agentur oder der Kunde.',
    nameFault: 'Bitte höchstens 100 Zeichen und keine Steuerzeichen.',
    withCsv: 'Tabelle der einzelnen Besuche (CSV) einschließen',
    withDestination: 'Zeigen, wohin der Link führt',
    hidden: 'Verborgen, solange der Link ein Passwort hat.',
    button: 'Freigabe erstellen',
    full: (most) => `Ein Link hat höchstens ${most} Freigaben. Widerrufen Sie eine, um eine andere zu erstellen.`,
    created: 'Die Freigabe ist erstellt.',
    revoked: 'Die Freigabe ist widerrufen: Ihre Adresse gilt nicht mehr.',
    page: {
      title: 'Ihre neue Freigabe',
      lead: 'Diese Adresse wird nur hier angezeigt. Senden Sie sie an alle, die die Statistik sehen dürfen; widerrufen können Sie sie jederzeit.',
      label: 'Die Adresse der Freigabe',
      open: 'Freigabe öffnen',
    },
  },
  webhook: {
    title: 'Webhook',
    off: 'Keiner',
    disabled: 'Der Betreiber dieses Dienstes hat Webhooks ausgeschaltet.',
    lead: 'Ein Webhook meldet einem anderen Programm sofort, was mit diesem Link geschieht. Sie brauchen ihn nur, wenn Sie ein solches Programm haben.',
    address: 'Adresse des Programms',
    addressHint: 'Sie beginnt mit https:// und ist öffentlich.',
    addressFault:
      'Geben Sie eine öffentliche Adresse ein, zum Beispiel https://example.com/hook: nicht die dieses Dienstes und keine in einem privaten Netz.',
    portFault: 'Der Port nach dem Namen muss 80, 443 oder einer ab 1024 sein.',
    listedFault: 'Diese Adresse steht auf einer Liste von Schadsoftware oder Phishing.',
    tell: 'Melden, wenn',
    events: {
      'link.changed': 'der Link geändert wurde',
      'link.removed': 'der Link wegen Missbrauchs gesperrt wurde',
      'link.reported': 'viele Personen den Link gemeldet haben',
      'scans.milestone': 'er 10, 100, 1.000 … Besuche von Menschen erreicht hat',
      'destination.failing': 'sein Ziel nicht erreichbar ist',
    },
    eventsFault: 'Wählen Sie mindestens ein Ereignis.',
    button: 'Webhook einrichten',
    save: 'Webhook speichern',
    retry: 'Speichern und neu versuchen',
    done: 'Der Webhook ist gespeichert.',
    removed: 'Der Webhook ist entfernt.',
    states: { active: 'Aktiv', failing: 'Gestört', given_up: 'Aufgegeben', blocked: 'Gesperrt' },
    none: 'Es wurde noch nichts gesendet.',
    delivered: (date) => `Zuletzt zugestellt am ${date}.`,
    failing: 'Der letzte Versuch ist gescheitert:',
    status: (status) => `Das Programm hat mit dem Status ${status} geantwortet.`,
    unreachable: 'Das Programm ist nicht erreichbar oder hat zu spät geantwortet.',
    next: (date) => `Der nächste Versuch ist am ${date}.`,
    blocked:
      'Es wird nichts gesendet: Der Betreiber dieses Dienstes hat diese Adresse gesperrt, oder sie steht auf einer Liste von Schadsoftware und Phishing. Nachrichten warten drei Tage lang. Geben Sie eine andere Adresse an, oder fragen Sie den Betreiber.',
    givenUp:
      'Die Versuche sind tagelang gescheitert und beendet. Speichern Sie den Webhook noch einmal, um neu zu beginnen.',
    dropped: (count) =>
      count === 1
        ? 'Eine Nachricht wurde nie zugestellt.'
        : `${count.toLocaleString('de')} Nachrichten wurden nie zugestellt.`,
    destination: (date) => `Das Ziel des Links ist seit ${date} nicht erreichbar.`,
    renew: 'Ein neues Geheimnis',
    renewLead: 'Wenn das Geheimnis verloren ist oder andere es kennen: Das jetzige gilt dann sofort nicht mehr.',
    renewButton: 'Neues Geheimnis erstellen',
    remove: 'Webhook entfernen',
    removeLead: 'Es wird nichts mehr gesendet, und das Geheimnis wird gelöscht.',
    removeButton: 'Entfernen',
    conflict:
      'Dieser Link wurde geändert, seit Sie diese Seite geöffnet haben. Deshalb wurde nichts gespeichert. Wenn Sie gerade ein Geheimnis neu geladen haben: Der Webhook ist eingerichtet. Erstellen Sie ein neues Geheimnis, falls Sie es nicht gesichert haben.',
    page: {
      title: 'Das Geheimnis Ihres Webhooks',
      lead: 'Ihr Programm prüft damit, dass eine Nachricht von hier ist. Es wird nur einmal angezeigt: Sichern Sie es jetzt.',
      label: 'Das Geheimnis',
      after: 'Die Nachrichten sind signiert, wie es der Standard „Standard Webhooks“ beschreibt.',
      file: 'quirl-Webhook-Geheimnis',
    },
  },
  collectionWebhook: {
    lead: 'Ein Webhook meldet einem anderen Programm sofort, was mit jedem Link in dieser Sammlung geschieht. Sie brauchen ihn nur, wenn Sie ein solches Programm haben.',
    events: {
      'link.changed': 'ein Link geändert wurde',
      'link.removed': 'ein Link wegen Missbrauchs gesperrt wurde',
      'link.reported': 'viele Personen einen Link gemeldet haben',
      'scans.milestone': 'ein Link 10, 100, 1.000 … Besuche von Menschen erreicht hat',
      'destination.failing': 'das Ziel eines Links nicht erreichbar ist',
    },
    destination: (date) => `Das Ziel eines Links in dieser Sammlung ist seit ${date} nicht erreichbar.`,
  },
}

/** The shared views of a link, and its webhook. */
export const sharingTexts: ByLanguage<typeof en> = { en, de }
