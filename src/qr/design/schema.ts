import { Type, type Static, type TSchema } from '#typebox'
import { RULE } from '../../http/validate.ts'
import { eyeShapes } from './eyes.ts'
import { moduleShapes } from './shapes.ts'

const hexDigits = '(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})'
const opaqueDigits = '(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})'

const opaqueColor = (description: string) =>
  Type.String({ pattern: `^#?${opaqueDigits}$`, [RULE]: 'must be a colour: #rgb or #rrggbb', description })

/** A colour as in the query of an image. */
export const inkColor = (description: string) =>
  Type.String({ pattern: `^#?${hexDigits}$`, [RULE]: 'must be a colour: #rgb, #rrggbb or #rrggbbaa', description })

export const paperColor = (description: string) =>
  Type.String({
    pattern: `^(?:#?${hexDigits}|transparent)$`,
    [RULE]: 'must be "transparent" or a colour: #rgb, #rrggbb or #rrggbbaa',
    description,
  })

const gradient = Type.Object(
  {
    type: Type.Enum(['linear', 'radial'], { description: 'Across the symbol, or from its middle outwards.' }),
    from: opaqueColor('The first colour.'),
    to: opaqueColor('The last colour.'),
    angle: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 359, description: 'Degrees clockwise from left to right, of a linear one.' }),
    ),
  },
  { description: 'Instead of `fg`.', additionalProperties: false },
)

/** Characters of the longest data URI of a logo of 256 KiB. */
export const MAX_LOGO_URI = 360_000

const logo = Type.Object(
  {
    image: Type.String({
      maxLength: MAX_LOGO_URI,
      description: 'A base64 data URI of a PNG, JPEG or SVG of at most 256 KiB; not a URL.',
      examples: [
        'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSI0IiByPSI0Ii8+PC9zdmc+',
      ],
    }),
    size: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 0.4,
        description: "Share of the symbol's width (0.2, or less where error correction cannot restore that).",
      }),
    ),
    knockout: Type.Optional(Type.Boolean({ description: 'Whether the modules behind the logo are left out (true).' })),
  },
  {
    description: 'An image in the middle. The error-correction level is raised as far as it requires.',
    additionalProperties: false,
  },
)

const frame = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 40, description: 'A call to action.', examples: ['Scan me'] }),
    position: Type.Optional(Type.Enum(['top', 'bottom'], { description: 'The position of the text (bottom).' })),
    shape: Type.Optional(Type.Enum(['rounded', 'square'], { description: 'Its corners (rounded).' })),
    color: Type.Optional(opaqueColor('Of the frame (the foreground).')),
    text_color: Type.Optional(opaqueColor('Of the text (white, or black on a light frame).')),
  },
  { description: 'Around the symbol, with a text.', additionalProperties: false },
)

/** The design of an image; absent fields have defaults. */
export const designSchema = Type.Object(
  {
    shape: Type.Optional(Type.Enum([...moduleShapes], { description: 'Shape of the modules.' })),
    eye_frame: Type.Optional(
      Type.Enum([...eyeShapes], { description: 'Shape of the eye frames, the rings in three corners.' }),
    ),
    eye_ball: Type.Optional(Type.Enum([...eyeShapes], { description: 'Shape of the eye balls, inside the rings.' })),
    fg: Type.Optional(inkColor('Foreground (`#000000`).')),
    bg: Type.Optional(paperColor('Background (`#ffffff`), or `transparent`.')),
    eye_frame_color: Type.Optional(opaqueColor('Colour of the eye frames (that of the modules).')),
    eye_ball_color: Type.Optional(opaqueColor('Colour of the eye balls (that of the modules).')),
    gradient: Type.Optional(gradient),
    logo: Type.Optional(logo),
    frame: Type.Optional(frame),
    margin: Type.Optional(Type.Integer({ minimum: 0, maximum: 16, description: 'Quiet zone in modules (4).' })),
    ecl: Type.Optional(Type.Enum(['L', 'M', 'Q', 'H'], { description: 'The lowest error-correction level (M).' })),
  },
  { title: 'Design', additionalProperties: false },
) satisfies TSchema

export type Design = Static<typeof designSchema>
