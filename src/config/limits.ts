import { setting } from './setting.ts'
import { integer } from './values.ts'

function limit(name: string, fallback: number, what: string, each = 'client address') {
  return setting({
    name: `LIMIT_${name}`,
    fallback: String(fallback),
    parse: (text) => integer(text, 0, 1_000_000_000),
    allowed: 'a whole number from 0 to 1000000000',
    doc: `${what} per hour and ${each}; 0: no limit`,
  })
}

/** The hourly quotas, nearly all of them of one client address. */
export const limitSettings = {
  limitLinks: limit('LINKS', 60, 'links created, and passwords and webhooks changed,'),
  limitChanges: limit('CHANGES', 5000, 'changed links, and shares created,'),
  limitBulk: limit('BULK', 10, 'bulk requests'),
  limitAliases: limit('ALIASES', 5000, 'codes chosen in bulk requests'),
  limitQr: limit('QR', 300, 'QR images, and designs that are saved (ten codes of one request count as one),'),
  limitDomains: limit('DOMAINS', 10, 'domains registered'),
  limitReports: limit('REPORTS', 20, 'abuse reports'),
  reportThreshold: setting({
    name: 'REPORT_THRESHOLD',
    fallback: '5',
    parse: (text) => integer(text, 1, 1000),
    allowed: 'a whole number from 1 to 1000',
    doc: 'from how many networks (IPv4 /24, IPv6 /32) within 30 days a link is reported until you and its owner are told ([abuse](abuse.md#reports))',
  }),
  limitFailures: limit('FAILURES', 600, 'refused creations'),
  limitMisses: limit('MISSES', 1200, 'wrong tokens and unknown codes'),
  limitGuesses: limit('GUESSES', 20, 'wrong passwords of links'),
  limitRawScans: limit('RAW_SCANS', 200_000, 'visits stored one by one, above which they only count,', 'link'),
  limitLinkGuesses: limit('LINK_GUESSES', 100, 'wrong passwords, above which each client has 3,', 'link'),
}
