import { kindOf } from './kinds/index.ts'

/** A link as the program knows it. */
export interface Link {
  id: number
  /** The code as its owner wrote it; look-ups ignore its case. */
  code: string
  kind: string
  target: string | null
  /** The kind's own fields, those that are there. */
  payload: Record<string, unknown>
  title: string | null
  campaign: string | null
  utm: Record<string, string>
  active: boolean
  revision: number
  /** Milliseconds since 1970, UTC. */
  createdAt: number
  updatedAt: number
  /** Why and when the link was removed for abuse; null while it is not. */
  removed: Removal | null
}

/** The removal of a link for abuse. */
export interface Removal {
  reason: string
  /** Who removed it: a list of known malware and phishing, the operator, or the operator by legal order. */
  source: 'list' | 'operator' | 'legal'
  at: number
  /** The listed expression that it matched; null when its code was removed by name. */
  entry: string | null
}

/** Everything that was counted of a link. */
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

/** What a link's owner decides about it. */
export type Content = Pick<Link, 'kind' | 'target' | 'payload' | 'title' | 'campaign' | 'utm'>

/** Every address of a link. */
export interface Addresses {
  short_url: string
  qr_png: string
  qr_svg: string
}

export function addresses(code: string, origin: string): Addresses {
  const shortUrl = `${origin}/${code}`
  return { short_url: shortUrl, qr_png: `${shortUrl}/qr.png`, qr_svg: `${shortUrl}/qr.svg` }
}

/** The details of a link, as its owner gets them: every field is always there, an empty one is null. */
export function details(
  link: Link,
  { token, origin, totals, design }: { token: string; origin: string; totals: Totals; design: object | undefined },
) {
  const names = Object.keys(kindOf(link).fields.properties)
  const payload = Object.fromEntries(names.map((name) => [name, link.payload[name] ?? null]))
  return {
    code: link.code,
    kind: link.kind,
    ...addresses(link.code, origin),
    manage_url: `${origin}/m/${token}`,
    target: link.target,
    payload: names.length > 0 ? payload : null,
    title: link.title,
    campaign: link.campaign,
    utm: link.utm,
    active: link.active,
    design: design ?? null,
    created_at: new Date(link.createdAt).toISOString(),
    updated_at: new Date(link.updatedAt).toISOString(),
    removed: link.removed && shownRemoval(link.removed),
    totals,
  }
}

function shownRemoval({ reason, source, at }: Removal) {
  return { reason, source, at: new Date(at).toISOString() }
}

/** The entity tag of a link's present revision (RFC 9110, 8.8.3). */
export function entityTag({ revision }: Pick<Link, 'revision'>): string {
  return `"${revision}"`
}

/** Whether a precondition (RFC 9110, 13.1.1) allows a change of this revision; an absent one always does. */
export function mayChange(link: Link, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some((tag) => tag.trim() === entityTag(link))
}
