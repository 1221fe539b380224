// Schemas of fields that several requests share.
import { Type, type TString } from '#typebox'
import { RULE } from './validate.ts'

/** The longest URL that the API accepts, in Unicode characters. */
export const MAX_URL_LENGTH = 2048

const textRule = {
  // RFC 8259 lets a string hold anything; TAB, LF and CR are the only control characters with a meaning in text.
  pattern: '^(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$',
  [RULE]: 'must hold no lone surrogates and no control characters but TAB, LF and CR',
}

/** A text of at most `maxLength` Unicode characters, and of `minLength` at least. */
export function text(maxLength: number, description: string, minLength = 0): TString {
  return Type.String({ ...(minLength > 0 && { minLength }), maxLength, ...textRule, description })
}

/** A text that must not be blank. */
export function requiredText(maxLength: number, description: string): TString {
  return Type.String({
    maxLength,
    pattern: `^(?=[^]*\\S)${textRule.pattern}`,
    [RULE]: `must not be blank; it ${textRule[RULE]}`,
    description,
  })
}

/** A public http or https URL; the URL policy of links decides where it may lead. */
export function publicUrl(description: string): TString {
  return Type.String({ maxLength: MAX_URL_LENGTH, description, examples: ['https://example.com/menu'] })
}
