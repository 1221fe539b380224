import type { ByLanguage } from './language.ts'

const en = {
  scans: 'Visits',
  share: 'Share',
  unknown: 'Unknown',
  others: 'Others',
  links: 'Links',
  campaigns: 'Campaigns',
  noCampaign: 'Without a campaign',
}

const de: typeof en = {
  scans: 'Besuche',
  share: 'Anteil',
  unknown: 'Unbekannt',
  others: 'Andere',
  links: 'Links',
  campaigns: 'Kampagnen',
  noCampaign: 'Ohne Kampagne',
}

/** The values by which statistics break visits down. */
export const breakdownTexts: ByLanguage<typeof en> = { en, de }
export type BreakdownTexts = typeof en
