import { Type, type Static } from '#typebox'
import { MAX_LINKS } from '../collections/bounds.ts'
import { campaignQuery } from '../collections/campaign-query.ts'
import { text } from '../http/fields.ts'
import { createBodyReader } from '../http/body-reader.ts'
import { invalidRequest } from '../http/problem.ts'
import { typographies, type TypographyName } from '../qr/print/template.ts'

/** Codes of one request at most. */
export const MAX_CODES = 1000

const MAX_CAPTION = 200

/** `POST /api/print` */
export const printBody = Type.Object(
  {
    links: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: MAX_CODES,
        description: `Codes or tokens of links, at most ${MAX_CODES.toLocaleString('en')}. What only owners read, such as the title, needs the token.`,
      }),
    ),
    collection: Type.Optional(
      Type.String({ maxLength: 100, description: 'The token of a collection, instead of `links`: all of its links.' }),
    ),
    ...campaignQuery,
    part: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LINKS / MAX_CODES,
        description: `Which ${MAX_CODES.toLocaleString('en')} of the links of \`collection\`, in the order of their creation, when it has more.`,
      }),
    ),
    labels: Type.Optional(
      Type.String({
        maxLength: 60,
        description:
          'Sheets of labels: the name of a format, such as `avery-l7160`, `avery-5160` or `herma-4226` (docs/qr.md has all), or free measures in millimetres as `<width>x<height>+<gap>`.',
        examples: ['avery-l7160'],
      }),
    ),
    paper: Type.Optional(
      Type.String({
        maxLength: 30,
        description:
          'Without `labels`: a page for each code, as `paper` of `GET /<code>/print.pdf`. With free measures: `a4` (by default) or `letter`.',
        examples: ['tent-a4'],
      }),
    ),
    style: Type.Optional(
      Type.Enum(Object.keys(typographies) as TypographyName[], {
        default: 'plain',
        description: 'How texts look, as `style` of `GET /<code>/print.pdf`.',
      }),
    ),
    text: Type.Optional(
      Type.Union(
        [
          Type.Enum(['title', 'alias', 'campaign', 'placement', 'none']),
          Type.Object({ own: text(MAX_CAPTION, 'The same text on each.') }, { additionalProperties: false }),
        ],
        {
          description:
            'What stands beside each code, by default `alias`, its code; a link without a title, a campaign or a placement has its code.',
        },
      ),
    ),
    placements: Type.Optional(
      Type.Boolean({ description: 'For a link with placements, a code for each of them instead of its own.' }),
    ),
    start: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The first label that is still on the sheet, row by row, from 1.' }),
    ),
    offset: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: 'Millimetres by which all is moved right and down, as the calibration page shows them.',
      }),
    ),
  },
  {
    title: 'Print',
    examples: [{ links: ['k7dw3nq'], labels: 'avery-l7160', text: 'alias', start: 1, offset: [0, 0] }],
  },
)

export type PrintBody = Static<typeof printBody>

const readFields = createBodyReader(printBody)

/** @throws {Problem} 400 for an invalid field */
export function readPrint(body: unknown): PrintBody {
  const fields = readFields(body)
  const refuse = (pointer: string, detail: string) => invalidRequest([{ pointer, detail }])
  if ((fields.links === undefined) === (fields.collection === undefined))
    throw refuse('/links', 'must be there, or "collection" instead')
  for (const name of ['campaign', 'part'] as const)
    if (fields[name] !== undefined && fields.collection === undefined)
      throw refuse(`/${name}`, 'must be absent without "collection"')
  if (fields.labels === undefined && fields.paper === undefined)
    throw refuse('/labels', 'must be there, or "paper" instead')
  for (const name of ['start', 'offset'] as const)
    if (fields[name] !== undefined && fields.labels === undefined)
      throw refuse(`/${name}`, 'must be absent without "labels"')
  return fields
}
