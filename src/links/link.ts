import type { Placement } from './placements.ts'
import type { Rule } from './rules/rule.ts'
import type { PasswordHash } from './password/password.ts'

/** A link as it is stored. */
export interface Link {
  id: number
  /** The code as its owner wrote it; look-ups ignore its case. */
  code: string
  kind: string
  target: string | null
  /** The kind's own fields; absent ones have no key. */
  payload: Record<string, unknown>
  title: string | null
  campaign: string | null
  utm: Record<string, string>
  /** In order: the first that is met answers a visit, else the link itself. */
  rules: Rule[]
  /** Where its code hangs, each with a code of its own. */
  placements: Placement[]
  /** Null unless visitors need a password. */
  password: PasswordHash | null
  active: boolean
  revision: number
  /** Milliseconds since 1970, UTC. */
  createdAt: number
  updatedAt: number
  /** Null unless the link is suspended for abuse. */
  suspension: Suspension | null
  /** Null unless the operator warns visitors before they go on. */
  warning: Warning | null
  /** Null unless so many people have reported the link that its owner was told. */
  reported: Reported | null
  /** When the operator gave out its token; null unless he has, and the owner has not replaced that. */
  rekeyedAt: number | null
}

/** Why visitors are warned of a link, which its owner can read. */
export interface Warning {
  reason: string
  at: number
}

/** What the owner of a link is told of its reports: they change nothing by themselves. */
export interface Reported {
  at: number
  /** From how many networks the link was reported until then, in 30 days. */
  networks: number
  /** The reason that most have given. */
  reason: string
}

/** The suspension of a link for abuse. Its owner and visitors read that the link was removed. */
export interface Suspension {
  reason: string
  /** A list of known malware and phishing, the operator, or the operator by legal order. */
  source: 'list' | 'operator' | 'legal'
  at: number
  /** The expression of the list or rule that it matched; null when the operator named its code. */
  expression: string | null
}

/** The totals of a link, and until when scans are included if some are missing. */
export interface StatedTotals {
  totals: Totals
  as_of?: string
}

/** The totals of a link's scans. */
export interface Totals {
  scans: number
  humans: number
  bots: number
  unique_visitors: number
  qr: number
  link: number
  /** ISO 8601, UTC. */
  last_scan_at: string | null
}

/** The fields of a link that its owner sets. */
export type Content = Pick<Link, 'kind' | 'target' | 'payload' | 'title' | 'campaign' | 'utm' | 'rules' | 'placements'>

/** The public URLs of a link. */
export interface Addresses {
  short_url: string
  qr_png: string
  qr_svg: string
}

export function addresses(code: string, origin: string): Addresses {
  const shortUrl = `${origin}/${code}`
  return { short_url: shortUrl, qr_png: `${shortUrl}/qr.png`, qr_svg: `${shortUrl}/qr.svg` }
}

/** The entity tag of a link's present revision (RFC 9110, 8.8.3). */
export function entityTag({ revision }: Pick<Link, 'revision'>): string {
  return `"${revision}"`
}

/** Whether `If-Match` (RFC 9110, 13.1.1) allows a change of this revision; when absent, it does. */
export function mayChange(link: Link, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some((tag) => tag.trim() === entityTag(link))
}
