import { Type } from '#typebox'
import { UNKNOWN_VALUE } from '../dimensions/dimension.ts'
import { text } from '../http/fields.ts'

/** Which links of a collection are read. */
export const campaignQuery = {
  campaign: Type.Optional(text(200, `Only the links of this campaign; \`${UNKNOWN_VALUE}\` for those without one.`, 1)),
}

/** The campaign that is asked for: null for links without one, undefined for all links. */
export const campaignOf = (asked: string | undefined): string | null | undefined =>
  asked === UNKNOWN_VALUE ? null : asked
