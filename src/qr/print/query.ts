import { Type, type Static } from '#typebox'
import { streamSafe } from '../../lib/stream-safe.ts'
import { placementParameter } from '../options.ts'
import type { Poster } from './poster.ts'
import { templates, typographies, type TemplateName, type TypographyName } from './template.ts'

/** The query of a page to print. */
export const printQuery = Type.Object({
  paper: Type.Optional(
    Type.Enum(Object.keys(templates) as TemplateName[], {
      default: 'a4',
      description: 'What it is printed on; of what is cut out, the page has marks for the cut.',
    }),
  ),
  style: Type.Optional(
    Type.Enum(Object.keys(typographies) as TypographyName[], {
      default: 'plain',
      description: 'How texts look: Roboto, Roboto Slab with a line, or Roboto Condensed in a black band.',
    }),
  ),
  title: Type.Optional(
    Type.String({ maxLength: 200, description: 'A headline with the code. It is set as large as fits.' }),
  ),
  text: Type.Optional(Type.String({ maxLength: 500, description: 'A smaller text with the code.' })),
  address: Type.Optional(
    Type.Enum(['0', '1'], { default: '1', description: 'Whether the short URL stands there for those who type it.' }),
  ),
  logo: Type.Optional(
    Type.Enum(['0', '1'], {
      default: '0',
      description: "Whether the design's logo stands above the headline as well.",
    }),
  ),
  placement: placementParameter,
})

export type PrintQuery = Static<typeof printQuery>

/** A text as it is printed: lines are broken where they fit, and not where they were when it was written. */
export function printedText(written = ''): string {
  return streamSafe(written.replaceAll(/[ \t\n\r]+/g, ' ').trim()).normalize('NFC')
}

/** What a request wants on a page. @param address that of the code */
export function posterOf({ paper, style, title, text, address, logo }: PrintQuery, short: string): Poster {
  return {
    paper: paper ?? 'a4',
    style: style ?? 'plain',
    title: printedText(title),
    text: printedText(text),
    address: address === '0' ? '' : short,
    logo: logo === '1',
  }
}
