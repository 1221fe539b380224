import type { ByLanguage } from './language.ts'

const en = {
  title: 'Settings',
  names: {
    title: 'Title and campaign',
    lead: 'Visitors see neither. Shared views show the title; a campaign groups your links.',
    name: 'Title',
    campaign: 'Campaign',
    tooLong: 'Use at most 200 characters, and no control characters.',
    button: 'Save names',
    done: 'The title and the campaign are saved.',
  },
  pause: {
    title: 'Pause',
    live: 'Active',
    paused: 'Paused',
    lead: 'While the link is paused, visitors see a page that says that nothing is here at the moment. Printed codes stay yours: they work again as soon as you resume the link.',
    isPaused:
      'Visitors see a page that says that nothing is here at the moment. Your statistics, your design and your printed codes are kept.',
    pause: 'Pause the link',
    resume: 'Resume the link',
    donePaused: 'The link is paused.',
    doneResumed: 'The link is active again.',
  },
  password: {
    title: 'Password',
    isSet: 'Set',
    isNone: 'None',
    lead: 'Visitors are asked for the password before they see where the link leads. Previews and search engines see nothing, and shared views hide the destination.',
    set: 'A password is set. Nobody can read it here, not even you: set a new one if it is lost.',
    label: 'Password',
    newLabel: 'New password',
    hint: '8 to 200 characters. Visitors may have to type it on a phone.',
    fault: 'A password has 8 to 200 characters, and no control characters.',
    show: 'Show the password',
    button: 'Set password',
    change: 'Change password',
    remove: 'Remove the password',
    removeLead: 'After that everybody who has the link or the code gets to the destination.',
    removeButton: 'Remove it',
    done: 'The password is set. Tell it to your visitors: it cannot be shown again.',
    removed: 'The password is removed.',
  },
  key: {
    title: 'A new private address',
    chip: 'The address of this page',
    lead: 'Whoever has the private address of this page can change and delete your link. If others may have seen it, get a new one.',
    explain:
      'This address stops working as soon as the new one is opened, and after one hour in any case. The short link, its codes, its statistics and its shared views stay as they are.',
    confirm: 'I will save the new address. Without it nobody can manage this link.',
    fault: 'Please tick this box first.',
    button: 'Get a new private address',
    page: {
      title: 'Your new private address',
      lead: 'Save this address now: it is shown only here, and it is the only way back to the page of your link.',
      label: 'The new private address of your page',
      after:
        'The old address works until you open the new one, but no longer than an hour. Replace it wherever you have saved it.',
      open: 'Open the new page',
      file: 'quirl private address',
    },
  },
  once: {
    copy: 'Copy',
    save: 'Save as file',
    back: 'Back to the settings',
  },
  refused: {
    marked: 'Not saved. Please correct the marked field.',
    conflict:
      'This link was changed since you opened this page, so nothing was saved. Check what is here and save again.',
    removed: 'This link is blocked, so it cannot be changed any more.',
    busy: 'The service is busy at the moment. Please try again in a few seconds.',
    limited: (minutes: number) =>
      `Too many changes from your connection within an hour. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    destination:
      'Not saved: the destination of this link is on a list of malware or phishing. Change the destination first.',
    other: 'Not saved. Please load this page again and repeat what you did.',
  },
}

const de: typeof en = {
  title: 'Einstellungen',
  names: {
    title: 'Titel und Kampagne',
    lead: 'Besucher sehen beides nicht. Freigaben zeigen den Titel; eine Kampagne fasst mehrere Links zusammen.',
    name: 'Titel',
    campaign: 'Kampagne',
    tooLong: 'Bitte höchstens 200 Zeichen und keine Steuerzeichen.',
    button: 'Namen speichern',
    done: 'Titel und Kampagne sind gespeichert.',
  },
  pause: {
    title: 'Pause',
    live: 'Aktiv',
    paused: 'Pausiert',
    lead: 'Solange der Link pausiert, sehen Besucher eine Seite, auf der steht, dass hier im Moment nichts ist. Gedruckte Codes bleiben Ihre: Sie funktionieren wieder, sobald Sie den Link wieder aktivieren.',
    isPaused:
      'Besucher sehen eine Seite, auf der steht, dass hier im Moment nichts ist. Ihre Statistik, Ihre Gestaltung und Ihre gedruckten Codes bleiben erhalten.',
    pause: 'Link pausieren',
    resume: 'Link wieder aktivieren',
    donePaused: 'Der Link ist pausiert.',
    doneResumed: 'Der Link ist wieder aktiv.',
  },
  password: {
    title: 'Passwort',
    isSet: 'Festgelegt',
    isNone: 'Keines',
    lead: 'Besucher werden nach dem Passwort gefragt, bevor sie sehen, wohin der Link führt. Vorschauen und Suchmaschinen sehen nichts, und Freigaben verbergen das Ziel.',
    set: 'Ein Passwort ist festgelegt. Niemand kann es hier lesen, auch Sie nicht: Legen Sie ein neues fest, wenn es verloren ist.',
    label: 'Passwort',
    newLabel: 'Neues Passwort',
    hint: '8 bis 200 Zeichen. Besucher tippen es oft am Handy ein.',
    fault: 'Ein Passwort hat 8 bis 200 Zeichen und keine Steuerzeichen.',
    show: 'Passwort zeigen',
    button: 'Passwort festlegen',
    change: 'Passwort ändern',
    remove: 'Passwort entfernen',
    removeLead: 'Danach kommt jeder, der den Link oder den Code hat, zum Ziel.',
    removeButton: 'Entfernen',
    done: 'Das Passwort ist festgelegt. Teilen Sie es Ihren Besuchern mit: Es kann nicht noch einmal angezeigt werden.',
    removed: 'Das Passwort ist entfernt.',
  },
  key: {
    title: 'Eine neue private Adresse',
    chip: 'Die Adresse dieser Seite',
    lead: 'Wer die private Adresse dieser Seite hat, kann Ihren Link ändern und löschen. Wenn andere sie gesehen haben könnten, erstellen Sie eine neue.',
    explain:
      'Diese Adresse gilt nicht mehr, sobald die neue geöffnet wird, auf jeden Fall nach einer Stunde. Kurzlink, Codes, Statistik und Freigaben bleiben, wie sie sind.',
    confirm: 'Ich werde die neue Adresse sichern. Ohne sie kann niemand diesen Link verwalten.',
    fault: 'Bitte kreuzen Sie zuerst dieses Kästchen an.',
    button: 'Neue private Adresse erstellen',
    page: {
      title: 'Ihre neue private Adresse',
      lead: 'Sichern Sie diese Adresse jetzt: Sie wird nur hier angezeigt, und nur sie führt zurück zur Seite Ihres Links.',
      label: 'Die neue private Adresse Ihrer Seite',
      after:
        'Die alte Adresse gilt, bis Sie die neue öffnen, aber höchstens eine Stunde. Ersetzen Sie sie überall, wo Sie sie gesichert haben.',
      open: 'Neue Seite öffnen',
      file: 'private Adresse bei quirl',
    },
  },
  once: {
    copy: 'Kopieren',
    save: 'Als Datei sichern',
    back: 'Zurück zu den Einstellungen',
  },
  refused: {
    marked: 'Nicht gespeichert. Bitte korrigieren Sie das markierte Feld.',
    conflict:
      'Dieser Link wurde geändert, seit Sie diese Seite geöffnet haben. Deshalb wurde nichts gespeichert. Prüfen Sie, was hier steht, und speichern Sie noch einmal.',
    removed: 'Dieser Link ist gesperrt und kann nicht mehr geändert werden.',
    busy: 'Der Dienst ist gerade ausgelastet. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
    limited: (minutes) =>
      `Zu viele Änderungen von Ihrem Anschluss innerhalb einer Stunde. Bitte versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} noch einmal.`,
    destination:
      'Nicht gespeichert: Das Ziel dieses Links steht auf einer Liste von Schadsoftware oder Phishing. Ändern Sie zuerst das Ziel.',
    other: 'Nicht gespeichert. Bitte laden Sie diese Seite neu und wiederholen Sie den Schritt.',
  },
}

/** The settings of a link. */
export const settingsTexts: ByLanguage<typeof en> = { en, de }
