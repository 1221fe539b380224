import type { ByLanguage } from './language.ts'
import { problemTitles } from './problem-titles.ts'

const inEnglish = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
const inGerman = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const en = {
  titles: problemTitles.en,
  /** Those with texts of their own are not here. */
  messages: {
    malformed_json: 'Please go back, reload the page and try again.',
    malformed_csv: 'Please check the file: each line needs the same columns.',
    beyond_retention:
      'Please choose a later first day, or remove the filters: then the counts of those days are shown.',
    invalid_request: 'Please go back, reload the page and try again.',
    nothing_created: 'Every row has a mistake.',
    nothing_changed: 'Every row has a mistake.',
    key_required: 'Please check the access code, or ask the operator of this service for one.',
    creation_closed: 'The operator has closed this service for new links and domains.',
    forbidden: 'Only the operator can see this.',
    foreign_form:
      'Nothing was done. If this is what you want, please open the page here and fill in the form yourself.',
    wrong_password: 'Please type it again.',
    unscannable: 'Please choose more contrast, a smaller logo or simpler shapes.',
    text_too_long: 'Please shorten the text, or choose a larger paper.',
    text_not_printable: 'Please take these characters out, or print the page with your browser, which has more fonts.',
    tls_required: 'Please begin the address with https://.',
    not_admitted: 'Please register it as a domain first.',
    unknown_revision: 'The newest 50 versions are kept.',
    unknown_domain: 'Please check its spelling, or register it.',
    unknown_share: 'Its owner has revoked it, or a part of the address is missing.',
    collection_not_found: 'It was ended, or a part of the address is missing.',
    request_timeout: 'Please check your connection and try again.',
    method_not_allowed: 'Please go back and try again.',
    alias_taken: 'Please choose another.',
    alias_reserved: 'Please choose another.',
    link_removed: 'Nobody can change it any more.',
    too_many_domains: 'Please remove one of them first.',
    too_many_waiting: 'Please set their DNS records first, or remove some of them.',
    too_many_shares: 'Please revoke one of them first.',
    collection_full: 'Please make another collection.',
    precondition_failed: 'Please reload the page and look at it first.',
    body_too_large: 'Please go back and send less: a logo has at most 256 KiB.',
    unsupported_media_type: 'Please go back, reload the page and try again.',
    misdirected: 'Please check the host name in the address.',
    expectation_failed: 'Please go back, reload the page and try again.',
    target_blocked: 'No link may lead there.',
    idempotency_key_reused: 'Please reload the page and send the form again.',
    headers_too_large: 'The address is perhaps too long, or your browser sends too many cookies.',
    not_implemented: 'Please go back and try again.',
    not_found: 'If you typed the address, please check it.',
    unknown_code: 'If you typed the address, please check it. Otherwise ask where you found the code.',
    unknown_token: 'The link was deleted, it has a new private address, or a part of the address is missing.',
    link_deleted: 'For a day, its page brings it back.',
    code_gone: 'It was deleted and will not come back. Please ask where you found the code.',
    code_removed: 'The operator of this service has blocked it because of abuse.',
    code_removed_by_law: 'It may not be shown here.',
    internal_error: 'It is not your fault, and it was recorded. Please try again later.',
  },
  rateLimited: 'There were more requests from your network than this service allows.',
  unavailable: 'The service is busy, or is being restarted.',
  retry: (seconds: number) =>
    seconds < 90
      ? `Please try again in ${inEnglish(seconds, 'second')}.`
      : `Please try again in ${inEnglish(Math.ceil(seconds / 60), 'minute')}.`,
  retryLater: 'Please try again later.',
  requestId: 'When you write to the operator, please name this number:',
  home: 'To the start page',
  forOwners: 'If this is your link, its private address leads to a page that says why it was blocked.',
  mistake: 'Is this a mistake?',
  writeTo: (contact: string) => `Write to ${contact}`,
  reportAnother: 'Report another code',
}

const de: typeof en = {
  titles: problemTitles.de,
  messages: {
    malformed_json: 'Bitte gehen Sie zurück, laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    malformed_csv: 'Bitte prüfen Sie die Datei: Jede Zeile braucht dieselben Spalten.',
    beyond_retention:
      'Bitte wählen Sie einen späteren ersten Tag, oder entfernen Sie die Filter: Dann erscheinen die Zahlen jener Tage.',
    invalid_request: 'Bitte gehen Sie zurück, laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    nothing_created: 'Jede Zeile hat einen Fehler.',
    nothing_changed: 'Jede Zeile hat einen Fehler.',
    key_required: 'Bitte prüfen Sie den Zugangscode, oder bitten Sie den Betreiber dieses Dienstes um einen.',
    creation_closed: 'Der Betreiber nimmt auf diesem Dienst keine neuen Links und Domains an.',
    forbidden: 'Das kann nur der Betreiber sehen.',
    foreign_form:
      'Es wurde nichts getan. Wenn Sie das möchten, öffnen Sie bitte hier die Seite, und füllen Sie das Formular selbst aus.',
    wrong_password: 'Bitte geben Sie es noch einmal ein.',
    unscannable: 'Bitte wählen Sie mehr Kontrast, ein kleineres Logo oder einfachere Formen.',
    text_too_long: 'Bitte kürzen Sie den Text, oder wählen Sie ein größeres Papier.',
    text_not_printable:
      'Bitte nehmen Sie diese Zeichen heraus, oder drucken Sie die Seite mit Ihrem Browser, der mehr Schriften hat.',
    tls_required: 'Bitte beginnen Sie die Adresse mit https://.',
    not_admitted: 'Bitte registrieren Sie ihn zuerst als Domain.',
    unknown_revision: 'Die neuesten 50 Fassungen werden aufbewahrt.',
    unknown_domain: 'Bitte prüfen Sie die Schreibweise, oder registrieren Sie sie.',
    unknown_share: 'Sie wurde widerrufen, oder ein Teil der Adresse fehlt.',
    collection_not_found: 'Sie wurde aufgelöst, oder ein Teil der Adresse fehlt.',
    request_timeout: 'Bitte prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.',
    method_not_allowed: 'Bitte gehen Sie zurück, und versuchen Sie es noch einmal.',
    alias_taken: 'Bitte wählen Sie einen anderen.',
    alias_reserved: 'Bitte wählen Sie einen anderen.',
    link_removed: 'Niemand kann ihn mehr ändern.',
    too_many_domains: 'Bitte entfernen Sie zuerst einen davon.',
    too_many_waiting: 'Bitte setzen Sie zuerst deren DNS-Einträge, oder entfernen Sie einige davon.',
    too_many_shares: 'Bitte widerrufen Sie zuerst eine davon.',
    collection_full: 'Bitte legen Sie eine weitere Sammlung an.',
    precondition_failed: 'Bitte laden Sie die Seite neu, und sehen Sie ihn sich zuerst an.',
    body_too_large: 'Bitte gehen Sie zurück, und senden Sie weniger: Ein Logo hat höchstens 256 KiB.',
    unsupported_media_type: 'Bitte gehen Sie zurück, laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    misdirected: 'Bitte prüfen Sie den Namen des Hosts in der Adresse.',
    expectation_failed: 'Bitte gehen Sie zurück, laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    target_blocked: 'Kein Link darf dorthin führen.',
    idempotency_key_reused: 'Bitte laden Sie die Seite neu, und senden Sie das Formular noch einmal.',
    headers_too_large: 'Vielleicht ist die Adresse zu lang, oder Ihr Browser sendet zu viele Cookies.',
    not_implemented: 'Bitte gehen Sie zurück, und versuchen Sie es noch einmal.',
    not_found: 'Falls Sie die Adresse eingetippt haben, prüfen Sie sie bitte.',
    unknown_code:
      'Falls Sie die Adresse eingetippt haben, prüfen Sie sie bitte. Fragen Sie sonst dort nach, wo Sie den Code gefunden haben.',
    unknown_token: 'Der Link wurde gelöscht, er hat eine neue private Adresse, oder ein Teil der Adresse fehlt.',
    link_deleted: 'Einen Tag lang holt ihn seine Seite zurück.',
    code_gone: 'Er wurde gelöscht und kommt nicht zurück. Bitte fragen Sie dort nach, wo Sie den Code gefunden haben.',
    code_removed: 'Der Betreiber dieses Dienstes hat ihn wegen Missbrauchs gesperrt.',
    code_removed_by_law: 'Er darf hier nicht gezeigt werden.',
    internal_error: 'Es liegt nicht an Ihnen, und es wurde aufgezeichnet. Bitte versuchen Sie es später noch einmal.',
  },
  rateLimited: 'Aus Ihrem Netz kamen mehr Anfragen, als dieser Dienst erlaubt.',
  unavailable: 'Der Dienst ist überlastet oder startet gerade neu.',
  retry: (seconds) =>
    seconds < 90
      ? `Bitte versuchen Sie es in ${inGerman(seconds, 'Sekunde', 'Sekunden')} noch einmal.`
      : `Bitte versuchen Sie es in ${inGerman(Math.ceil(seconds / 60), 'Minute', 'Minuten')} noch einmal.`,
  retryLater: 'Bitte versuchen Sie es später noch einmal.',
  requestId: 'Wenn Sie dem Betreiber schreiben, nennen Sie bitte diese Nummer:',
  home: 'Zur Startseite',
  forOwners: 'Wenn das Ihr Link ist, führt seine private Adresse zu einer Seite, die sagt, warum er gesperrt wurde.',
  mistake: 'Ist das ein Irrtum?',
  writeTo: (contact) => `Schreiben Sie an ${contact}`,
  reportAnother: 'Einen anderen Code melden',
}

/** The problem catalogue for people. */
export const problemTexts: ByLanguage<typeof en> = { en, de }
