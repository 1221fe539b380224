import type { ByLanguage } from './language.ts'

const en = {
  home: 'quirl, start page',
  sections: 'Sections',
  create: 'Create',
  bulk: 'Many links',
  domains: 'Domains',
  api: 'API',
  report: 'Report a link',
  privacy: 'Privacy',
  source: 'Source code',
  failure: {
    text: 'A part of this page has failed.',
    reload: 'Load the page again',
    more: 'If that does not help: it works without JavaScript, too.',
    close: 'Close',
  },
}

const de: typeof en = {
  home: 'quirl, Startseite',
  sections: 'Bereiche',
  create: 'Erstellen',
  bulk: 'Viele Links',
  domains: 'Domains',
  api: 'API',
  report: 'Link melden',
  privacy: 'Datenschutz',
  source: 'Quelltext',
  failure: {
    text: 'Ein Teil dieser Seite ist ausgefallen.',
    reload: 'Seite neu laden',
    more: 'Hilft das nicht: Sie funktioniert auch ohne JavaScript.',
    close: 'Schließen',
  },
}

/** The header and the footer of the site. */
export const shellTexts: ByLanguage<typeof en> = { en, de }
