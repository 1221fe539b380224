import { Type, type TSchema } from '#typebox'
import { MEMBERS } from '../http/members.ts'
import { activeField, aliasField, commonFields } from './fields.ts'
import { kinds } from './kinds/index.ts'
import type { Kind } from './kinds/kind.ts'
import { publicUrl } from '../http/fields.ts'
import { placementsSchema } from './placements.ts'
import { rulesSchema } from './rules/rule.ts'
import { createdWebhook, webhookDetails, webhookField } from './webhook.ts'

// The schemas of the OpenAPI document, built from the same fields as the validators.

const uri = (description: string) => Type.String({ format: 'uri', description })
const time = (description: string) => Type.String({ format: 'date-time', description })
const nullable = (schema: TSchema) => Type.Unsafe({ anyOf: [schema, { type: 'null' }] })

const addressFields = {
  short_url: uri('The URL that visitors open and the QR code encodes.'),
  qr_png: uri('The QR image as PNG.'),
  qr_svg: uri('The QR image as SVG.'),
  manage_url: uri("The owner's page. Anyone who has this URL can manage the link."),
}

const designField = nullable(
  Type.Object(
    {},
    { additionalProperties: true, description: 'How the QR images look: `design` of `POST /api/qr`; null for plain.' },
  ),
)
const lookField = Type.Object(
  { look: Type.String({ description: 'The name of the look.' }) },
  {
    title: 'LookName',
    additionalProperties: false,
    description: 'A look of the collection in the path or in the header `Quirl-Collection`, which is copied.',
  },
)
/** The design in a request. */
const chosenDesign = Type.Unsafe({ anyOf: [designField, lookField] })

const creations = kinds.map((kind, at) => {
  const name = Type.Literal(kind.name)
  return Type.Object(
    {
      kind: at === 0 ? Type.Optional(name) : name,
      alias: Type.Optional(aliasField),
      ...commonFields,
      ...(at === 0 && { target: publicUrl('Destination: a public http or https URL.') }),
      ...kind.fields.properties,
      design: Type.Optional(chosenDesign),
      webhook: Type.Optional(webhookField),
    },
    { title: `${kind.name[0]?.toUpperCase()}${kind.name.slice(1)}Link`, description: `${kind.texts.en.name}.` },
  )
})

/** What `payload` may hold: a kind's own fields, and the target, which for a redirect is its only content. */
const payloadMembers = ({ fields }: Kind) => Type.Object({ target: Type.Unknown(), ...fields.properties })

const creationMembers = kinds.map((kind, at) => {
  const { properties = {}, required = [] } = creations[at] ?? {}
  return Type.Unsafe({ type: 'object', required, properties: { ...properties, payload: payloadMembers(kind) } })
})

/** A creation: one alternative for each kind, whose fields may also stand inside `payload`. */
export const creationBody = Type.Unsafe({
  anyOf: creations,
  examples: [{ target: 'https://example.com/menu', alias: 'menu', utm: { utm_source: 'flyer' } }],
  [MEMBERS]: { anyOf: creationMembers },
})

const updateFields = {
  ...Object.fromEntries(Object.entries(commonFields).map(([name, field]) => [name, Type.Optional(nullable(field))])),
  payload: Type.Optional(
    nullable(
      Type.Object(
        {},
        { additionalProperties: true, description: "The kind's own fields, merged one by one; null clears all." },
      ),
    ),
  ),
  active: Type.Optional(activeField),
  design: Type.Optional(chosenDesign),
  webhook: Type.Optional(nullable(webhookField)),
}

/**
 * The members of an update of each kind. Those that cannot be changed are known: they may be sent as they are.
 * @param more further members
 */
export function updateMembers(more: Record<string, TSchema> = {}): object {
  const members = (kind: Kind) => ({
    ...updateFields,
    ...kind.fields.properties,
    payload: payloadMembers(kind),
    kind: Type.Literal(kind.name),
    alias: Type.Unknown(),
    code: Type.Unknown(),
    ...more,
  })
  return { anyOf: kinds.map((kind) => Type.Object(members(kind))) }
}

/** An update: absent fields stay, null clears. */
export const updateBody = Type.Object(updateFields, {
  title: 'Update',
  examples: [{ target: 'https://example.com/new-menu' }],
  [MEMBERS]: updateMembers(),
})

/** The response to a creation. */
export const createdBody = Type.Object(
  {
    code: Type.String({ description: 'The short code: the alias, if the request had one.' }),
    ...addressFields,
    token: Type.String({
      description: 'The secret that edits, deletes and reads statistics. Only this response has it.',
    }),
    webhook: Type.Optional(createdWebhook),
    design: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'The design, if the request had one. Not in bulk.' }),
    ),
  },
  { title: 'CreatedLink' },
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

const totalsBody = Type.Object(
  {
    scans: count('Recorded visits.'),
    humans: count('Scans by people.'),
    bots: count('Scans by robots, previews and prefetches.'),
    unique_visitors: count('Visitors, each counted once a UTC day.'),
    qr: count('Scans of the QR image.'),
    link: count('Visits of the link.'),
    last_scan_at: nullable(Type.String({ format: 'date-time' })),
  },
  { title: 'Totals', description: 'Everything since the link was created.' },
)

/** What statistics and details say when they lack scans. */
export const asOfField = Type.String({
  format: 'date-time',
  description:
    'Only present when scans from before the request could not be included in time: the time of the oldest one, or until when the scans of all nodes are included. Without it, other nodes may have recorded further scans in the last three seconds.',
})

const removedBody = Type.Object(
  {
    reason: Type.String(),
    source: Type.Enum(['list', 'operator', 'legal'], {
      description:
        '`list`: a list of malware and phishing; `operator`: the operator; `legal`: the operator following a legal order.',
    }),
    at: time('When it was removed, UTC.'),
  },
  { title: 'Removal', description: 'Set when the link was blocked for abuse. Its owner can delete it, not change it.' },
)

const warnedBody = Type.Object(
  { reason: Type.String(), at: time('When the warning was set, UTC.') },
  { title: 'Warning', description: 'Set while browsers get a warning of the operator first.' },
)

const reportedBody = Type.Object(
  {
    networks: count('From how many networks, in the 30 days before.'),
    reason: Type.String({ description: 'What most of them say.' }),
    at: time('When there were that many, UTC.'),
  },
  { title: 'Reported', description: 'Set when people in many networks have reported the link.' },
)

/** The details of a link. */
export const detailsBody = Type.Object(
  {
    code: Type.String(),
    kind: Type.Enum(kinds.map((kind) => kind.name)),
    ...addressFields,
    target: nullable(Type.String()),
    payload: nullable(Type.Object({}, { additionalProperties: true, description: "The kind's own fields." })),
    title: nullable(Type.String()),
    campaign: nullable(Type.String()),
    utm: Type.Object({}, { additionalProperties: { type: 'string' } }),
    rules: rulesSchema,
    placements: placementsSchema,
    has_password: Type.Boolean({ description: 'Whether visitors need a password.' }),
    active: Type.Boolean(),
    design: designField,
    webhook: nullable(webhookDetails),
    created_at: time('When the link was created, UTC.'),
    updated_at: time('When the link was last changed, UTC.'),
    removed: nullable(removedBody),
    warned: Type.Optional(warnedBody),
    reported: Type.Optional(reportedBody),
    rekeyed_at: Type.Optional(
      time(
        'When the operator gave out the token, because it was lost, UTC; absent unless so, and once it is replaced.',
      ),
    ),
    totals: totalsBody,
    as_of: Type.Optional(asOfField),
  },
  { title: 'LinkDetails' },
)

/** The response to a rotation. */
export const rotatedBody = Type.Object(
  {
    token: Type.String({ description: 'The new token. Only this response has it.' }),
    manage_url: addressFields.manage_url,
  },
  { title: 'RotatedToken' },
)

export const deletedBody = Type.Object(
  {
    deleted: Type.Literal(true),
    code: Type.String(),
    undo_until: Type.Optional(time('With `undo=true`: until when the link can be brought back, UTC.')),
  },
  { title: 'DeletedLink' },
)
