/** How the visitor reached the code: by scanning the QR image or by following the link. */
export type Source = 'qr' | 'link'

/**
 * One recorded visit of a live code. No field holds an address, a user agent or a whole referrer, only values derived
 * from them. Unknown is null.
 */
export interface Scan {
  linkId: number
  /** Milliseconds since 1970, UTC. */
  at: number
  source: Source
  device: string | null
  os: string | null
  browser: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  city: string | null
  /** The referrer's host; `direct` without one, null when the visitor opts out of tracking. */
  referrer: string | null
  bot: boolean
  /** The number of the rule that answered the visit, from 1; null when the link itself did. */
  answer: number | null
  /** 53 bits that identify a visitor of one link within one UTC day (`describing/visitor-key.ts`); null when the visitor opts out of tracking. */
  visitor: number | null
}

/** A scan with what the fold finds out. */
export interface FoldedScan extends Scan {
  /** Whether it is the visitor's first of the day. */
  first: boolean
  /** Whether it is a person's first of the day. Left out where only visitors are known: each is taken for a person then. */
  person?: boolean
  /** Whether nobody knows if it is the first, because there was no room for the key of its visitor; then it is not. */
  untold?: boolean
}

/** The order of a scan's values in the journal. Only the version that wrote it, or a later one, reads it. */
type ScanRow = [
  linkId: number,
  at: number,
  source: 0 | 1,
  device: string | null,
  os: string | null,
  browser: string | null,
  country: string | null,
  city: string | null,
  referrer: string | null,
  bot: 0 | 1,
  visitor: number | null,
  /** Absent when the link itself answered, as in every row before links had rules. */
  answer?: number,
]

/** Encodes a scan for the journal. */
export function toRow(scan: Scan): ScanRow {
  const { linkId, at, device, os, browser, country, city, referrer, visitor, answer } = scan
  const row: ScanRow = [
    linkId,
    at,
    scan.source === 'qr' ? 1 : 0,
    device,
    os,
    browser,
    country,
    city,
    referrer,
    scan.bot ? 1 : 0,
    visitor,
  ]
  if (answer !== null) row.push(answer)
  return row
}

/** Decodes a scan from the journal. */
export function fromRow(row: ScanRow): Scan {
  const [linkId, at, qr, device, os, browser, country, city, referrer, bot, visitor, answer = null] = row
  return {
    linkId,
    at,
    source: qr === 1 ? 'qr' : 'link',
    device,
    os,
    browser,
    country,
    city,
    referrer,
    bot: bot === 1,
    answer,
    visitor,
  }
}
