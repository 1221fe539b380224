import { Type, type Static } from '#typebox'
import { asObject } from '../http/body.ts'
import { invalidRequest } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import type { DesignJob } from './design/job.ts'
import { designSchema } from './design/schema.ts'
import { DATA_PARAMETER, MAX_DPI, MAX_SVG_SIZE, requireSize } from './options.ts'

/** The body of a request for a designed image. */
export const designRequestBody = Type.Object(
  {
    data: DATA_PARAMETER,
    format: Type.Optional(Type.Enum(['png', 'svg', 'pdf'], { description: 'Default `png`.' })),
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SVG_SIZE,
        description: 'Width in pixels (512), up to 4096 for PNG. With a frame the image is higher than wide.',
      }),
    ),
    width_mm: Type.Optional(
      Type.Number({ minimum: 5, maximum: 2000, description: 'Width of a PDF in millimetres (50).' }),
    ),
    ecl: Type.Optional(Type.Enum(['L', 'M', 'Q', 'H'], { description: 'The lowest error-correction level (M).' })),
    boost: Type.Optional(
      Type.Boolean({ description: 'Whether to raise the level where that costs no larger symbol (true).' }),
    ),
    dpi: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DPI, description: 'Pixels per inch, for the metadata of a PNG.' }),
    ),
    design: Type.Optional(designSchema),
  },
  { title: 'QrRequest', examples: [{ data: 'https://example.com/', design: { shape: 'rounded', fg: '#1d3557' } }] },
)

const validate = createValidator(designRequestBody)

/**
 * Reads the request for a designed image.
 * @throws {Problem} 400 with all invalid fields
 */
export function readDesignRequest(body: unknown): DesignJob {
  const request = asObject(body)
  const errors = validate(request)
  if (errors.length > 0) throw invalidRequest(errors)
  const {
    data,
    format = 'png',
    size = 512,
    width_mm,
    ecl,
    boost,
    dpi,
    design = {},
  } = request as Static<typeof designRequestBody>
  requireSize(size, format)
  return {
    text: data,
    design,
    at: '/design',
    format,
    size,
    ...(width_mm !== undefined && { millimetres: width_mm }),
    ...(ecl !== undefined && { level: ecl }),
    ...(boost !== undefined && { boost }),
    ...(dpi !== undefined && { dpi }),
  }
}
