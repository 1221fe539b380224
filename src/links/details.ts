import type { Credential } from './credential.ts'
import type { OwnedLink } from './design.ts'
import { kindOf } from './kinds/index.ts'
import { addresses, type StatedTotals, type Suspension } from './link.ts'

/** The details of a link for its owner. Every field is always present, an empty one null, but what few links ever have. */
export function details(
  { link, design, webhook }: OwnedLink,
  { token, origin, totals, as_of: asOf }: StatedTotals & { token: Credential; origin: string },
) {
  const names = Object.keys(kindOf(link).fields.properties)
  const payload = Object.fromEntries(names.map((name) => [name, link.payload[name] ?? null]))
  return {
    code: link.code,
    kind: link.kind,
    ...addresses(link.code, origin),
    manage_url: manageUrl(token, origin),
    target: link.target,
    payload: names.length > 0 ? payload : null,
    title: link.title,
    campaign: link.campaign,
    utm: link.utm,
    rules: link.rules,
    placements: link.placements,
    has_password: link.password !== null,
    active: link.active,
    design: design ?? null,
    webhook,
    created_at: new Date(link.createdAt).toISOString(),
    updated_at: new Date(link.updatedAt).toISOString(),
    removed: link.suspension && suspensionDetails(link.suspension),
    ...(link.warning !== null && { warned: { ...link.warning, at: isoTime(link.warning.at) } }),
    ...(link.reported !== null && { reported: { ...link.reported, at: isoTime(link.reported.at) } }),
    ...(link.rekeyedAt !== null && { rekeyed_at: isoTime(link.rekeyedAt) }),
    totals,
    ...(asOf !== undefined && { as_of: asOf }),
  }
}

/** The page of a credential. */
function manageUrl(token: Credential, origin: string): string {
  return typeof token === 'string' ? `${origin}/m/${token}` : `${origin}/c/${token.collectionToken}`
}

/** What its owner is told of a suspension. */
export function suspensionDetails({ reason, source, at }: Pick<Suspension, 'reason' | 'source' | 'at'>) {
  return { reason, source, at: isoTime(at) }
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}
