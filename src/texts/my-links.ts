import type { ByLanguage } from './language.ts'

const en = {
  title: 'My links',
  lead: 'Their keys are kept in this browser only. Export them, so that they are not lost with it.',
  search: 'Search my links',
  export: 'Export',
  import: 'Import a file',
  file: 'File with links',
  forgetAll: 'Forget all',
  island: {
    none: 'No links are kept on this device. Choose “Keep on this device” after a creation, or import a file.',
    noMatch: 'No link matches.',
    created: 'created {date}',
    manage: 'Open',
    manageOf: 'Open the page of {name}',
    copy: 'Copy',
    copyOf: 'Copy the short link {link}',
    copied: 'Copied',
    forget: 'Forget',
    forgetOf: 'Forget {name}',
    more: 'Show more ({count})',
    links: { one: '1 link', more: '{count} links' },
    scans: { one: '1 scan', more: '{count} scans' },
    visitors: { one: '1 unique visitor', more: '{count} unique visitors' },
    window: 'in the last 30 days',
    missing: 'No longer exists, or has a new key',
    limited: 'The statistics cannot be read right now, because of too many requests. Please try again later.',
    unreachable: 'The statistics cannot be read right now.',
    retry: 'Try again',
    forgotten: {
      one: '“{name}” was forgotten on this device. It still works, but only its key can change it.',
      more: '{count} links were forgotten on this device. They still work, but only their keys can change them.',
    },
    undo: 'Undo',
    undone: 'Restored.',
    imported: {
      one: '1 link was imported.',
      more: '{count} links were imported.',
      none: 'All links of this file are kept already.',
    },
    foreign:
      'This file was exported at {service}. Import it only if that is this very service: it gets to know the keys.',
    importAnyway: 'Import',
    cancel: 'Cancel',
    notStored: 'This browser did not store the links. Nothing was changed.',
    faults: {
      unreadable: 'The file cannot be read. Nothing was changed.',
      too_large: 'The file is larger than 2 MB. Nothing was changed.',
      not_json: 'The file is not an export of links: it is not JSON. Nothing was changed.',
      not_links: 'The file is not an export of links. Nothing was changed.',
      newer: 'The file was made by a newer version of quirl. Nothing was changed.',
      too_many: 'At most 2,000 links can be kept on a device. Nothing was changed.',
      invalid: 'Link {entry} of the file is invalid. Nothing was changed.',
    },
  },
}

const de: typeof en = {
  title: 'Meine Links',
  lead: 'Ihre Schlüssel sind nur in diesem Browser. Exportieren Sie sie, damit sie nicht mit ihm verloren gehen.',
  search: 'Meine Links durchsuchen',
  export: 'Exportieren',
  import: 'Datei importieren',
  file: 'Datei mit Links',
  forgetAll: 'Alle entfernen',
  island: {
    none: 'Auf diesem Gerät sind keine Links. Wählen Sie nach dem Erstellen „Auf diesem Gerät behalten“, oder importieren Sie eine Datei.',
    noMatch: 'Kein Link passt.',
    created: 'erstellt am {date}',
    manage: 'Öffnen',
    manageOf: 'Seite von {name} öffnen',
    copy: 'Kopieren',
    copyOf: 'Kurzlink {link} kopieren',
    copied: 'Kopiert',
    forget: 'Entfernen',
    forgetOf: '{name} entfernen',
    more: 'Mehr zeigen ({count})',
    links: { one: '1 Link', more: '{count} Links' },
    scans: { one: '1 Scan', more: '{count} Scans' },
    visitors: { one: '1 eindeutiger Besucher', more: '{count} eindeutige Besucher' },
    window: 'in den letzten 30 Tagen',
    missing: 'Gibt es nicht mehr, oder hat einen neuen Schlüssel',
    limited:
      'Die Statistik ist wegen zu vieler Anfragen gerade nicht lesbar. Bitte versuchen Sie es später noch einmal.',
    unreachable: 'Die Statistik ist gerade nicht lesbar.',
    retry: 'Noch einmal versuchen',
    forgotten: {
      one: '„{name}“ wurde von diesem Gerät entfernt. Der Link funktioniert weiter, aber nur sein Schlüssel kann ihn ändern.',
      more: '{count} Links wurden von diesem Gerät entfernt. Sie funktionieren weiter, aber nur ihre Schlüssel können sie ändern.',
    },
    undo: 'Rückgängig',
    undone: 'Wiederhergestellt.',
    imported: {
      one: '1 Link wurde importiert.',
      more: '{count} Links wurden importiert.',
      none: 'Alle Links dieser Datei sind schon auf diesem Gerät.',
    },
    foreign:
      'Diese Datei wurde bei {service} exportiert. Importieren Sie sie nur, wenn das derselbe Dienst ist: Er erfährt die Schlüssel.',
    importAnyway: 'Importieren',
    cancel: 'Abbrechen',
    notStored: 'Dieser Browser hat die Links nicht gespeichert. Nichts wurde geändert.',
    faults: {
      unreadable: 'Die Datei ist nicht lesbar. Nichts wurde geändert.',
      too_large: 'Die Datei ist größer als 2 MB. Nichts wurde geändert.',
      not_json: 'Die Datei ist kein Export von Links: Sie ist kein JSON. Nichts wurde geändert.',
      not_links: 'Die Datei ist kein Export von Links. Nichts wurde geändert.',
      newer: 'Die Datei stammt von einer neueren Version von quirl. Nichts wurde geändert.',
      too_many: 'Auf einem Gerät haben höchstens 2.000 Links Platz. Nichts wurde geändert.',
      invalid: 'Link {entry} der Datei ist ungültig. Nichts wurde geändert.',
    },
  },
}

/** The links whose keys a browser keeps. */
export const myLinksTexts: ByLanguage<typeof en> = { en, de }

export type MyLinksIslandTexts = typeof en.island
