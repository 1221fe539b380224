import { Type } from '#typebox'
import { RULE } from '../../http/validate.ts'

/** An input of a page cannot hold line ends, so that they are refused with the other control characters. */
export const passwordField = Type.String({
  title: 'Password',
  minLength: 8,
  maxLength: 200,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  [RULE]: 'must hold no control characters and no lone surrogates',
  description: 'Visitors have to enter it. Only a hash of it is stored. Not for rows of a bulk request.',
  examples: ['correct horse battery'],
})
