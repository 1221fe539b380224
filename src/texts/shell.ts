import type { ByLanguage } from './language.ts'

const en = {
  home: 'quirl, start page',
  sections: 'Sections',
  create: 'Create',
  bulk: 'Bulk',
  domains: 'Domains',
  api: 'API',
  report: 'Report a link',
  privacy: 'Privacy',
  source: 'Source code',
}

const de: typeof en = {
  home: 'quirl, Startseite',
  sections: 'Bereiche',
  create: 'Erstellen',
  bulk: 'Mehrere',
  domains: 'Domains',
  api: 'API',
  report: 'Link melden',
  privacy: 'Datenschutz',
  source: 'Quelltext',
}

/** The header and the footer of the site. */
export const shellTexts: ByLanguage<typeof en> = { en, de }
