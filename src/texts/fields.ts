import type { ByLanguage } from './language.ts'

const en = {
  labels: {
    target: 'Destination',
    alias: 'Custom code',
    title: 'Title',
    campaign: 'Campaign',
    utm_source: 'UTM source',
    utm_medium: 'UTM medium',
    utm_campaign: 'UTM campaign',
  },
  hints: {
    alias: 'letters, digits, - and _; leave empty for a random code',
    title: 'visitors do not see it; people you share statistics with do',
    campaign: 'groups your links; only you can see it',
    utm_source: 'where people find the code: flyer, window, newsletter',
    utm_medium: 'qr, print, email',
    utm_campaign: 'the campaign it belongs to: spring_sale',
  },
  /** What to do when a field is empty that must not be. */
  required: {
    target: 'Please enter the address that the link should lead to.',
    label: 'Please write what the button should say.',
    url: 'Please enter the address that the button should lead to.',
  },
  faults: {
    required: 'Please fill in this field.',
    pattern: 'This text holds invisible characters that cannot be stored. Please type it again.',
    code: 'A code has 1 to 64 characters: letters from a to z, digits, - and _. No spaces.',
    too_long: (limit: number) => `This is too long: at most ${limit} characters, please.`,
    too_many: (limit: number) => `These are too many: at most ${limit}, please.`,
    taken: 'This code is already taken. Please choose another.',
    reserved: 'This code is reserved for pages of this service. Please choose another.',
    cut: (limit: number) => `This was far too long, so only its first ${limit} characters are shown.`,
    rows_cut: (limit: number) =>
      limit === 1
        ? 'These were far too many: only the first is shown.'
        : `These were far too many: only the first ${limit} are shown.`,
    url_characters: 'This address has a space or an invisible character in it.',
    url_scheme: 'Only web addresses work here: they begin with https:// or http://.',
    url_login: 'This address holds a user name or a password. Please remove the part before the @.',
    url_syntax: 'This is not a complete web address. It should look like https://example.com/menu.',
    url_host: 'This is no public web address. It should look like https://example.com/menu.',
    url_private: 'This address works only inside a private network, so visitors could not open it.',
    url_loop: 'This address leads back to this service, so visitors would go round in circles.',
    blocked: 'This address is on a list of harmful websites. No link may lead there.',
    day: 'This day does not exist. Please choose another.',
    before_start: 'The last day must not be before the first.',
    timezone: 'This time zone is unknown. It should look like Europe/Berlin.',
    no_room: 'The text does not fit, even in the smallest letters. Please choose a shorter one, or more room.',
    modules: (limit: number) => `The code needs at least ${limit} mm. Please choose larger labels, or a larger paper.`,
    unprintable: (_limit: number, characters: string) =>
      `The PDF cannot have these characters: ${characters}. Please choose another text, or print this code alone, with your browser.`,
    invisible: 'There is an invisible character in the text. Please type it again.',
    unscannable: 'The code cannot be scanned with its design. Please change the design.',
    measures: (limit: number) =>
      `Please write the measures in millimetres, such as 60x40+2: width, height and gap. A label has at least ${limit} × ${limit} mm, and no more than the sheet.`,
    label: (limit: number) => `The sheet has the labels 1 to ${limit}.`,
    offset: (limit: number) => `Please choose numbers from -${limit} to ${limit}.`,
    no_links: 'There are no links here.',
    too_many_codes: (limit: number) =>
      `A PDF has at most ${limit.toLocaleString('en')} codes. Please print a part of them after the other.`,
    link_deleted: 'The link was deleted.',
    link_blocked:
      'The link is blocked, so that its code cannot be printed. Please take it out of the collection first.',
    unknown: (detail: string) => `Please check this field: it ${detail}.`,
  },
  utm: 'UTM parameters, added to the destination',
  notSaved: 'Not saved. Please correct the marked fields.',
  /** Above a form that was refused for another reason than its fields. */
  refused: {
    rate_limited: (minutes: number) =>
      `You have sent many requests in a short time. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    unavailable:
      'The service is overloaded, or its storage cannot be reached. Nothing was saved; please try again soon.',
  },
  /** In these, which scripts use as well, `{row}` and `{count}` stand for numbers. */
  rows: {
    name: 'Button {row}',
    label: 'Label',
    url: 'Address',
    add: 'Add a button',
    up: 'Move button {row} up',
    down: 'Move button {row} down',
    remove: 'Remove button {row}',
    moved: 'Moved to place {row} of {count}.',
    removed: 'Button {row} removed.',
  },
}

const de: typeof en = {
  labels: {
    target: 'Ziel',
    alias: 'Eigener Code',
    title: 'Titel',
    campaign: 'Kampagne',
    utm_source: 'UTM-Quelle',
    utm_medium: 'UTM-Medium',
    utm_campaign: 'UTM-Kampagne',
  },
  hints: {
    alias: 'Buchstaben, Ziffern, - und _; leer lassen für einen zufälligen Code',
    title: 'Besucher sehen ihn nicht; wer eine Freigabe hat, schon',
    campaign: 'fasst Ihre Links zusammen; nur für Sie sichtbar',
    utm_source: 'wo man den Code findet: flyer, fenster, newsletter',
    utm_medium: 'qr, druck, email',
    utm_campaign: 'zu welcher Kampagne er gehört: sommer_2027',
  },
  required: {
    target: 'Bitte geben Sie die Adresse ein, zu der der Link führen soll.',
    label: 'Bitte schreiben Sie, was auf dem Knopf stehen soll.',
    url: 'Bitte geben Sie die Adresse ein, zu der der Knopf führen soll.',
  },
  faults: {
    required: 'Bitte füllen Sie dieses Feld aus.',
    pattern:
      'Dieser Text enthält unsichtbare Zeichen, die nicht gespeichert werden können. Bitte tippen Sie ihn neu ein.',
    code: 'Ein Code hat 1 bis 64 Zeichen: Buchstaben von a bis z, Ziffern, - und _. Keine Leerzeichen.',
    too_long: (limit: number) => `Das ist zu lang: bitte höchstens ${limit} Zeichen.`,
    too_many: (limit: number) => `Das sind zu viele: bitte höchstens ${limit}.`,
    taken: 'Dieser Code ist schon vergeben. Bitte wählen Sie einen anderen.',
    reserved: 'Dieser Code ist für Seiten dieses Dienstes reserviert. Bitte wählen Sie einen anderen.',
    cut: (limit: number) => `Das war viel zu lang, deshalb stehen hier nur die ersten ${limit} Zeichen.`,
    rows_cut: (limit: number) =>
      limit === 1
        ? 'Das waren viel zu viele: hier steht nur der erste.'
        : `Das waren viel zu viele: hier stehen nur die ersten ${limit}.`,
    url_characters: 'Diese Adresse enthält ein Leerzeichen oder ein unsichtbares Zeichen.',
    url_scheme: 'Hier gehen nur Webadressen: Sie beginnen mit https:// oder http://.',
    url_login: 'Diese Adresse enthält einen Benutzernamen oder ein Passwort. Bitte entfernen Sie den Teil vor dem @.',
    url_syntax: 'Das ist keine vollständige Webadresse. Sie sollte aussehen wie https://example.com/menu.',
    url_host: 'Das ist keine öffentliche Webadresse. Sie sollte aussehen wie https://example.com/menu.',
    url_private: 'Diese Adresse gibt es nur in einem privaten Netz; Besucher könnten sie nicht öffnen.',
    url_loop: 'Diese Adresse führt zu diesem Dienst zurück; Besucher würden sich im Kreis drehen.',
    blocked: 'Diese Adresse steht auf einer Liste schädlicher Websites. Kein Link darf dorthin führen.',
    day: 'Diesen Tag gibt es nicht. Bitte wählen Sie einen anderen.',
    before_start: 'Der letzte Tag darf nicht vor dem ersten liegen.',
    timezone: 'Diese Zeitzone ist unbekannt. Sie sollte aussehen wie Europe/Berlin.',
    no_room:
      'Der Text passt nicht, auch nicht in den kleinsten Buchstaben. Bitte wählen Sie einen kürzeren, oder mehr Platz.',
    modules: (limit: number) =>
      `Der Code braucht mindestens ${limit} mm. Bitte wählen Sie größere Etiketten oder ein größeres Papier.`,
    unprintable: (_limit: number, characters: string) =>
      `Das PDF kann diese Zeichen nicht haben: ${characters}. Bitte wählen Sie einen anderen Text, oder drucken Sie diesen Code allein, mit Ihrem Browser.`,
    invisible: 'In dem Text ist ein unsichtbares Zeichen. Bitte tippen Sie ihn neu ein.',
    unscannable: 'Mit seiner Gestaltung lässt sich der Code nicht scannen. Bitte ändern Sie die Gestaltung.',
    measures: (limit: number) =>
      `Bitte schreiben Sie die Maße in Millimetern, zum Beispiel 60x40+2: Breite, Höhe und Abstand. Ein Etikett hat mindestens ${limit} × ${limit} mm und höchstens die Größe des Bogens.`,
    label: (limit: number) => `Der Bogen hat die Etiketten 1 bis ${limit}.`,
    offset: (limit: number) => `Bitte wählen Sie Zahlen von -${limit} bis ${limit}.`,
    no_links: 'Hier gibt es keine Links.',
    too_many_codes: (limit: number) =>
      `Ein PDF hat höchstens ${limit.toLocaleString('de')} Codes. Bitte drucken Sie einen Teil nach dem anderen.`,
    link_deleted: 'Der Link wurde gelöscht.',
    link_blocked:
      'Der Link ist gesperrt, deshalb lässt sich sein Code nicht drucken. Bitte nehmen Sie ihn erst aus der Sammlung.',
    // The reason would be in English.
    unknown: () => 'Bitte prüfen Sie dieses Feld.',
  },
  utm: 'UTM-Parameter, die an das Ziel gehängt werden',
  notSaved: 'Nicht gespeichert. Bitte korrigieren Sie die markierten Felder.',
  refused: {
    rate_limited: (minutes: number) =>
      `Das waren viele Anfragen in kurzer Zeit. Bitte versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} wieder.`,
    unavailable:
      'Der Dienst ist überlastet, oder sein Speicher ist nicht erreichbar. Es wurde nichts gespeichert; bitte versuchen Sie es bald wieder.',
  },
  rows: {
    name: 'Knopf {row}',
    label: 'Beschriftung',
    url: 'Adresse',
    add: 'Knopf hinzufügen',
    up: 'Knopf {row} nach oben',
    down: 'Knopf {row} nach unten',
    remove: 'Knopf {row} entfernen',
    moved: 'Verschoben auf Platz {row} von {count}.',
    removed: 'Knopf {row} entfernt.',
  },
}

/** The fields of forms: their labels, their hints, and what may be wrong with them. */
export const fieldTexts: ByLanguage<typeof en> = { en, de }
