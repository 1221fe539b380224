import type { OwnedLink } from './design.ts'
import { details } from './details.ts'
import { kindOf } from './kinds/index.ts'
import type { Link, Totals } from './link.ts'

/** What `format` in link.json says. */
export const BUNDLE_FORMAT = 'quirl-link'
/** Counts the changes of the format that an older import would misread. */
export const BUNDLE_VERSION = 1

/** The files of a bundle. */
export const bundleFiles = {
  link: 'link.json',
  quarterHours: 'quarter-hours.csv',
  days: 'days.csv',
  months: 'months.csv',
  scans: 'scans.csv',
} as const

/** What link.json has of the details. */
const bundled = [
  'code',
  'kind',
  'short_url',
  'target',
  'payload',
  'title',
  'campaign',
  'utm',
  'rules',
  'placements',
  'has_password',
  'active',
  'design',
  'created_at',
  'updated_at',
  'removed',
] as const

/**
 * A link as link.json has it: its details without what gives access to it (the token, the password, the webhook with its
 * secret) and without addresses of this service's pages.
 */
export function bundledLink(
  owned: OwnedLink,
  { origin, totals, now }: { origin: string; totals: Totals; now: number },
) {
  const told = details(owned, { token: '', origin, totals })
  const about = { format: BUNDLE_FORMAT, version: BUNDLE_VERSION, exported_at: new Date(now).toISOString() }
  const link = Object.fromEntries(bundled.map((name) => [name, told[name]]))
  // With it, calendars still know an event that has moved.
  const payload = told.payload && { ...told.payload, ...stampOf(owned.link) }
  return { ...about, ...link, payload, totals }
}

function stampOf(link: Link): Record<string, unknown> {
  const name = kindOf(link).stamp?.name
  return name === undefined ? {} : { [name]: link.payload[name] }
}
