import { domainToASCII } from 'node:url'
import { invalidRequest, type FieldError } from '../../http/problem.ts'
import { withoutRoot } from '../../lib/host.ts'
import { isCode } from '../code.ts'
import { urlsOf } from '../draft.ts'
import { kinds } from '../kinds/index.ts'
import type { Link } from '../link.ts'
import type { ListedKey } from './listing-store.ts'

/** Which links an operator asks for: those that meet every condition that is given. */
export interface Filter {
  code: string | undefined
  kind: string | undefined
  /** A part of the title, or of a URL to which it leads, in lower case. */
  text: string | undefined
  /** The host of a URL to which it leads, in WHATWG notation. */
  host: string | undefined
  /** The same, or a name above that host. */
  domain: string | undefined
  /** Milliseconds since 1970: created then or later, and before then. */
  since: number | undefined
  until: number | undefined
  isSuspended: boolean
  isPaused: boolean
  /** Those that their owners have deleted, and can bring back. */
  isDeleted: boolean
}

const DAY_MS = 86_400_000
const MAX_TEXT = 200

/**
 * Reads the filter of an operation.
 * @throws {Problem} 400 with every invalid condition
 */
export function readFilter(input: Record<string, unknown>): Filter {
  const errors: FieldError[] = []
  const read = <T>(name: string, parse: (text: string) => T | undefined, detail: string): T | undefined => {
    const given = input[name]
    if (given === undefined) return undefined
    const value = typeof given === 'string' ? parse(given) : undefined
    if (value === undefined) errors.push({ pointer: `/${name}`, detail })
    return value
  }
  const flag = (name: string): boolean => {
    const given = input[name] ?? false
    if (typeof given !== 'boolean') errors.push({ pointer: `/${name}`, detail: 'must be true or false' })
    return given === true
  }
  const filter = {
    code: read('code', (text) => (isCode(text) ? text : undefined), 'must be a code: 1 to 64 of A-Z a-z 0-9 _ -'),
    kind: read('kind', (text) => kinds.find(({ name }) => name === text)?.name, `must be one of ${kindNames}`),
    text: read('text', textPart, `must be 1 to ${MAX_TEXT} characters`),
    host: read('host', host, 'must be a host name or an address, without scheme and port'),
    domain: read('domain', host, 'must be a host name, without scheme and port'),
    since: read(
      'since',
      (text) => time(text, 0),
      'must be a day such as 2026-11-23, or a time such as 2026-11-23T18:00Z',
    ),
    until: read('until', (text) => time(text, DAY_MS), 'must be a day, which is included, or a time with its zone'),
    isSuspended: flag('removed'),
    isPaused: flag('paused'),
    isDeleted: flag('deleted'),
  }
  if (errors.length > 0) throw invalidRequest(errors)
  return filter
}

const kindNames = kinds.map(({ name }) => name).join(', ')

function textPart(text: string): string | undefined {
  return text.length > 0 && text.length <= MAX_TEXT ? text.toLowerCase() : undefined
}

/** As `URL` writes it, so that two ways to write a host are equal. */
function host(text: string): string | undefined {
  const isName = /^[^\s/?#@:\\]{1,253}$/.test(text)
  const isIPv6 = /^\[[\da-f:.]{2,45}\]$/i.test(text)
  if (!isName && !isIPv6) return undefined
  const found = URL.parse(`http://${isName ? domainToASCII(text) : text}/`)?.hostname
  return found === undefined || found === '' ? undefined : withoutRoot(found)
}

/** A time with its zone, or a day in UTC. @param dayMs what is added to the beginning of a day */
function time(text: string, dayMs: number): number | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  if (!isDay && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text))
    return undefined
  const at = Date.parse(text)
  // Date.parse takes 2026-02-30 for a day of March.
  const exists = !isDay || (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text))
  return Number.isNaN(at) || !exists ? undefined : at + (isDay ? dayMs : 0)
}

/** Whether a link may meet the filter, by what is read first of each. */
export function mayMatch(
  { kind, since = 0, until = Infinity, isPaused, isSuspended, isDeleted }: Filter,
  key: ListedKey,
): boolean {
  if (kind !== undefined && key.kind !== kind) return false
  if (isPaused && key.active) return false
  if (isSuspended && key.suspendedAt === null) return false
  if (isDeleted && key.deletedAt === null) return false
  return key.createdAt >= since && key.createdAt < until
}

/** Whether a link meets the conditions on its content. */
export function matches({ text, host, domain }: Filter, link: Link): boolean {
  if (text === undefined && host === undefined && domain === undefined) return true
  const urls = urlsOf(link).map(({ url }) => url)
  if (text !== undefined && ![link.title ?? '', ...urls].some((each) => each.toLowerCase().includes(text))) return false
  if (host === undefined && domain === undefined) return true
  return urls.some((url) => {
    const found = withoutRoot(URL.parse(url)?.hostname ?? '')
    if (host !== undefined && found !== host) return false
    return domain === undefined || found === domain || found.endsWith(`.${domain}`)
  })
}
