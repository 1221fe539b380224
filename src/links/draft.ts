import { isDeepStrictEqual } from 'node:util'
import { Type } from '#typebox'
import { asObject, isObject } from '../http/body.ts'
import { withoutUnknown } from '../http/members.ts'
import { invalidRequest, Problem, REASON, type FieldError } from '../http/problem.ts'
import { createValidator, type Validator } from '../http/validate.ts'
import { activeField, aliasField, commonFields } from './fields.ts'
import { findKind, kindOf, kinds } from './kinds/index.ts'
import type { Kind } from './kinds/kind.ts'
import type { Content, Link } from './link.ts'
import { placementErrors } from './placements.ts'
import { textUrlErrors, urlsInTexts } from './text-urls.ts'
import { ruleErrors, urlsOfRules } from './rules/check.ts'
import { trimUrls, type FieldUrl } from './trim-urls.ts'
import { findUrlFault, type Screen, type UrlFault, type UrlPolicy } from './url-policy.ts'
import { destination } from './utm.ts'
import type { WebhookDraft } from './webhook.ts'

const commonNames = Object.keys(commonFields)

const validators = new Map<string, Validator>(
  kinds.map((kind) => [kind.name, createValidator(Type.Object({ ...commonFields, ...kind.fields.properties }))]),
)
const validateAlias = createValidator(Type.Object({ alias: Type.Optional(aliasField) }))
const validateActive = createValidator(Type.Object({ active: Type.Optional(activeField) }))

/** A validated creation. */
export interface Draft extends Content {
  alias: string | undefined
  /** As the client sent it, not hashed. */
  password: string | null
  /** As the client sent it: a design, `{"look": "<name>"}`, or null. */
  design?: unknown
  /** Only a single creation can have one. */
  webhook?: WebhookDraft
}

/**
 * Validates the body of a creation. The kind's fields may be flat or inside `payload`; unknown fields are ignored.
 * @throws {Problem} 400 with every invalid field; 422 when a URL is blocked
 */
export function parseDraft(body: unknown, policy: UrlPolicy & Clock): Draft {
  const request = asObject(body)
  const kind = request['kind'] === undefined ? kinds[0] : findKind(request['kind'])
  if (kind === undefined) {
    throw invalidRequest([{ pointer: '/kind', detail: `must be one of ${kinds.map(({ name }) => name).join(', ')}` }])
  }
  const fields = readFields(request, kind)
  const aliasErrors = Object.hasOwn(request, 'alias') ? validateAlias({ alias: request['alias'] }) : []
  const content = checkContent(kind, fields, aliasErrors, policy)
  const alias = request['alias'] as string | undefined
  return {
    ...stamped(kind, content, undefined, policy),
    alias,
    password: (request['password'] as string | undefined) ?? null,
  }
}

/**
 * Validates the body of an update: absent fields stay, null clears, and the result must be valid for a creation.
 * @returns the updated link, with its present revision and times
 * @throws {Problem} 400 with every invalid field; 422 when a URL is blocked
 */
export function parsePatch(link: Link, body: unknown, policy: UrlPolicy & Clock): Link {
  const request = asObject(body)
  const kind = kindOf(link)
  const errors = [...fixedFieldErrors(link, request), ...validateActive(pick(request, ['active']))]
  const fields = readFields(request, kind, true)
  const before = {
    target: link.target,
    title: link.title,
    campaign: link.campaign,
    utm: link.utm,
    rules: link.rules,
    placements: link.placements,
    ...link.payload,
  }
  const after = Object.entries({ ...before, ...fields.values }).filter(([, value]) => value !== null)
  const content = checkContent(kind, { ...fields, values: Object.fromEntries(after) }, errors, policy)
  const active = (request['active'] as boolean | undefined) ?? link.active
  return { ...link, ...stamped(kind, content, link, policy), active }
}

interface Clock {
  now: () => number
}

/** The content with what its kind keeps beside the fields. */
function stamped({ stamp }: Kind, content: Content, before: Link | undefined, { now }: Clock): Content {
  if (stamp === undefined) return content
  return { ...content, payload: { ...content.payload, [stamp.name]: stamp.next(content, before, now()) } }
}

function fixedFieldErrors(link: Link, request: Record<string, unknown>): FieldError[] {
  const fixed = { kind: link.kind, alias: link.code, code: link.code }
  return Object.entries(fixed)
    .filter(([name, value]) => request[name] !== undefined && request[name] !== value)
    .map(([name]) => ({ pointer: `/${name}`, detail: 'cannot be changed' }))
}

/** The known fields of a request by name, with their pointers for the errors. */
interface Fields {
  values: Record<string, unknown>
  pointers: Record<string, string>
  errors: FieldError[]
}

/** @param isUpdate whether a `payload` of null clears its fields; that of a kind without fields is null in the details */
function readFields(request: Record<string, unknown>, kind: Kind, isUpdate = false): Fields {
  const kindNames = Object.keys(kind.fields.properties)
  const flat = { ...pick(request, commonNames), ...pick(request, kindNames) }
  const sent = request['payload']
  const payload = isUpdate && sent === null ? Object.fromEntries(kindNames.map((name) => [name, null])) : sent
  if (payload === undefined) return { values: flat, pointers: {}, errors: [] }
  if (!isObject(payload)) {
    return { values: flat, pointers: {}, errors: [{ pointer: '/payload', detail: 'must be an object' }] }
  }
  // A redirect's only content is its target, so clients may put it inside `payload` as well.
  const nested = pick(payload, ['target', ...kindNames])
  const names = Object.keys(nested)
  const errors = names
    .filter((name) => name in flat && !isDeepStrictEqual(flat[name], nested[name]))
    .map((name) => ({ pointer: `/payload/${name}`, detail: `differs from /${name}` }))
  const pointers = Object.fromEntries(names.map((name) => [name, `/payload/${name}`]))
  return { values: { ...flat, ...nested }, pointers, errors }
}

function checkContent(kind: Kind, fields: Fields, earlier: FieldError[], policy: UrlPolicy): Content {
  const { values, pointers } = fields
  const locate = (error: FieldError): FieldError => {
    const [, name = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(error.pointer) ?? []
    return { ...error, pointer: (pointers[name] ?? `/${name}`) + rest }
  }
  const faults = validators.get(kind.name)?.(values) ?? []
  // Rules across fields need valid fields; the response lists all other errors at once.
  const errors = [...earlier, ...fields.errors, ...faults.map(locate)]
  if (faults.length > 0) throw invalidRequest(errors)

  const trimmed = trimUrls(values, urlsOf(contentOf(kind, values)))
  const content = contentOf(kind, trimmed.values)
  const urls = urlsOf(content)
  const further = [
    ...kind.check(content),
    ...ruleErrors(content.rules),
    ...placementErrors(content.placements),
    ...urlErrors(urls, (url) => findUrlFault(url, policy.owns)),
    ...textUrlErrors(textUrlsOf(content)),
  ]
  errors.push(...further.map(locate))
  if (errors.length > 0) throw invalidRequest(errors)
  const blocked = blockedIn(content, policy.screen, locate)
  if (blocked !== undefined) throw blocked
  for (const [pointer, dropped] of trimmed.dropped) policy.onTrimmed?.(locate({ pointer, detail: '' }).pointer, dropped)
  return content
}

/** The content that valid fields make. */
function contentOf(kind: Kind, values: Record<string, unknown>): Content {
  // Stored, a member that is ignored now could mean something to a later version, which has not validated it.
  const payload = withoutUnknown(kind.fields, pick(values, Object.keys(kind.fields.properties))) as Content['payload']
  const common = values as Partial<Pick<Content, 'utm' | 'rules' | 'placements'>> & {
    target?: string
    title?: string
    campaign?: string
  }
  const { target = null, title = null, campaign = null, utm = {}, rules = [], placements = [] } = common
  return { kind: kind.name, target, payload, title, campaign, utm, rules, placements }
}

/** Every URL in every field of a link, with the pointer of the flat field. */
export function urlsOf({
  kind,
  target,
  payload,
  rules,
}: Pick<Content, 'kind' | 'target' | 'payload' | 'rules'>): FieldUrl[] {
  const urls = [...kindOf({ kind }).urls(payload), ...urlsOfRules(rules)]
  return target === null ? urls : [{ pointer: '/target', url: target }, ...urls]
}

/** Every address in a text of a link: phones and mail programs make links of them. */
export function textUrlsOf(content: Content): FieldUrl[] {
  return urlsInTexts(content, new Set(urlsOf(content).map(({ pointer }) => pointer)))
}

function urlErrors(urls: FieldUrl[], faultOf: (url: string) => UrlFault | undefined): FieldError[] {
  return urls.flatMap(({ pointer, url }) => {
    const fault = faultOf(url)
    return fault === undefined ? [] : [{ pointer, detail: fault.detail, [REASON]: fault.reason }]
  })
}

/**
 * The problem of content that lists or the operator's rules block, with every such URL; undefined when they block none.
 * @param locate gives an error the pointer into the body, instead of that of the flat field
 */
export function blockedIn(
  content: Content,
  screen: Screen,
  locate: (error: FieldError) => FieldError = (error) => error,
): Problem | undefined {
  const fields = urlErrors(urlsOf(content), (url) => screenFault(url, content.utm, screen))
  const errors = [...fields, ...textErrors(content, screen)].map(locate)
  const [first] = errors
  return first && new Problem('target_blocked', `${first.pointer} ${first.detail}`, { errors })
}

function textErrors(content: Content, screen: Screen): FieldError[] {
  return textUrlsOf(content).flatMap(({ pointer, url }) => {
    const detail = screen(url)
    return detail === undefined
      ? []
      : [{ pointer, detail: `names an address that ${detail}`, [REASON]: { name: 'blocked' } }]
  })
}

/** Screens the URL as it is stored and as visitors are redirected to it. */
function screenFault(url: string, utm: Record<string, string>, screen: Screen): UrlFault | undefined {
  const detail = screen(url) ?? (Object.keys(utm).length > 0 ? screen(destination(url, utm)) : undefined)
  return detail === undefined ? undefined : { reason: { name: 'blocked' }, detail }
}

function pick(from: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names) if (Object.hasOwn(from, name)) picked[name] = from[name]
  return picked
}
