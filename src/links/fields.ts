import { Type } from '#typebox'
import { publicUrl, text } from '../http/fields.ts'
import { RULE } from '../http/validate.ts'
import { CODE_PATTERN } from './code.ts'
import { placementsSchema } from './placements.ts'
import { rulesSchema } from './rules/rule.ts'

const ALIAS_RULE = 'must be 1 to 64 characters of A-Z, a-z, 0-9, "-" and "_"'

/** An input of a page cannot hold line ends, so that they are refused with the other control characters. */
const passwordField = Type.String({
  title: 'Password',
  minLength: 8,
  maxLength: 200,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  [RULE]: 'must hold no control characters and no lone surrogates',
  description: 'Visitors have to enter it. Only a hash of it is stored. Not for rows of a bulk request.',
  examples: ['correct horse battery'],
})

/** The fields of every kind. */
export const commonFields = {
  target: Type.Optional(publicUrl('Destination: a public http or https URL.')),
  title: Type.Optional(text(200, 'For the owner; visitors never see it.')),
  campaign: Type.Optional(text(200, 'Grouping tag, for the owner.')),
  utm: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,40}$' }), text(200, 'The value of this parameter.'), {
      title: 'Utm',
      maxProperties: 10,
      additionalProperties: false,
      [RULE]: 'must be 1 to 40 characters of a-z, 0-9 and "_"',
      description: 'Up to 10 parameters that are set in the query of the destination.',
      examples: [{ utm_source: 'flyer', utm_medium: 'qr' }],
    }),
  ),
  rules: Type.Optional(rulesSchema),
  placements: Type.Optional(placementsSchema),
  password: Type.Optional(passwordField),
}

export const aliasField = Type.String({
  pattern: CODE_PATTERN,
  [RULE]: ALIAS_RULE,
  description: 'The short code, instead of a random one. Its case is preserved and ignored in look-ups.',
  examples: ['summer-menu'],
})

export const activeField = Type.Boolean({ description: 'False pauses the link: visits get 404 until it is true.' })
