import { Type } from '#typebox'
import { text } from '../http/fields.ts'

const name = text(100, 'For the owner; readers of the share never see it.')
const csv = Type.Boolean({ description: 'Whether the share includes `scans.csv`, a line for each scan.' })
const destination = Type.Boolean({ description: 'Whether the share includes where the link leads.' })

/** A new share. */
export const shareBody = Type.Object(
  { name: Type.Optional(name), csv: Type.Optional(csv), destination: Type.Optional(destination) },
  { title: 'NewShare', examples: [{ name: 'agency', csv: true }] },
)

const fields = {
  id: Type.String({ description: 'Names the share in its revocation.' }),
  name: Type.Unsafe({ anyOf: [name, { type: 'null' }] }),
  csv,
  destination,
  created_at: Type.String({ format: 'date-time', description: 'When the share was created, UTC.' }),
}

/** The response to the creation of a share. */
export const createdShareBody = Type.Object(
  {
    share_url: Type.String({
      format: 'uri',
      description: 'The page of the share. Anyone who has this URL can read the statistics.',
    }),
    share_token: Type.String({ description: 'The token of the share. Only this response has it.' }),
    ...fields,
  },
  { title: 'CreatedShare' },
)

/** The shares of a link. */
export const sharesBody = Type.Object(
  { shares: Type.Array(Type.Object(fields, { title: 'Share' }), { description: 'Oldest first.' }) },
  { title: 'Shares' },
)

export const revokedBody = Type.Object({ deleted: Type.Literal(true), id: Type.String() }, { title: 'RevokedShare' })
