import { Type } from '#typebox'
import { UNKNOWN_VALUE } from '../dimensions/dimension.ts'
import { RULE } from '../http/validate.ts'

/** Which links of a collection are read. */
export const campaignQuery = {
  campaign: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      [RULE]: 'must be a campaign of up to 200 characters',
      description: `Only the links of this campaign; \`${UNKNOWN_VALUE}\` for those without one.`,
      examples: ['spring'],
    }),
  ),
}

/** The campaign that is asked for: null for links without one, undefined for all links. */
export const campaignOf = (asked: string | undefined): string | null | undefined =>
  asked === UNKNOWN_VALUE ? null : asked
