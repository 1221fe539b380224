/** How a visitor came: by scanning the QR image or by following the link. */
export type Source = 'qr' | 'link'

/**
 * One visit of a live code, as it is recorded. There is no field for an address, a user agent or a referrer: only what
 * was read from them. Unknown is null.
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
  /** The referrer's host; `direct` when there was none, null for who asks not to be followed. */
  referrer: string | null
  bot: boolean
  /** 48 bits that are the same for the same visitor of the same link on the same UTC day; null for who asks not to be counted so. */
  visitor: number | null
}

/** A scan with its first-of-day flag, which is decided by the fold. */
export interface FoldedScan extends Scan {
  first: boolean
}

/** The order of a scan's values in the journal. It is only ever read by the version that wrote it, or a later one. */
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
]

/** A scan as the journal keeps it. */
export function toRow(scan: Scan): ScanRow {
  const { linkId, at, device, os, browser, country, city, referrer, visitor } = scan
  return [
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
}

/** A scan as it was before it was journalled. */
export function fromRow(row: ScanRow): Scan {
  const [linkId, at, qr, device, os, browser, country, city, referrer, bot, visitor] = row
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
    visitor,
  }
}
