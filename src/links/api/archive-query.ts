import { Type, type Static } from '#typebox'
import { invalidRequest } from '../../http/problem.ts'
import type { FileImage } from '../bulk/code-file.ts'
import type { FileNames } from '../../lib/file-name.ts'

/** Pixels of width: larger PNGs are of single codes, as one of them takes hundreds of megabytes to draw. */
export const MAX_ARCHIVE_PNG = 2048
const MAX_SVG = 1_000_000
/** The code of any short URL fits into so many, with its quiet zone. */
const MIN_SIZE = 100

/** The formats of tables, and those of images in an archive. */
const tables = ['json', 'csv'] as const
const images = ['svg', 'png', 'pdf'] as const

/** The parameters of images in an archive. @param which says which images they are of */
const imageParameters = (which: string) => ({
  size: Type.Optional(
    Type.Integer({
      minimum: MIN_SIZE,
      maximum: MAX_SVG,
      description: `Width of the images${which} in pixels, 512 by default: from ${MIN_SIZE} up to ${MAX_ARCHIVE_PNG} for PNG, up to 1,000,000 for SVG.`,
    }),
  ),
  dpi: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9600, description: `Pixels per inch, for the metadata of PNGs${which}.` }),
  ),
  width_mm: Type.Optional(
    Type.Number({
      minimum: 5,
      maximum: 2000,
      description: `Width of the PDFs${which} in millimetres, 50 by default.`,
    }),
  ),
  names: Type.Optional(
    Type.Enum(['code', 'title'], {
      description: `What the images${which} are named by: \`qr-<code>\`, the default, or the title of the link.`,
    }),
  ),
})

/** What the query of an archive says of its images. */
export const archiveQuery = {
  format: Type.Optional(Type.Enum([...images], { default: 'svg', description: 'The format of the images.' })),
  ...imageParameters(''),
}

/** What the query of a bulk request says of its response. */
export const resultQuery = {
  format: Type.Optional(
    Type.Enum([...tables, ...images], {
      description:
        'The format of the response, `json` or `csv`; the `Accept` header works too. With `qr=zip` that of the images: `svg`, `png` or `pdf`.',
    }),
  ),
  qr: Type.Optional(
    Type.Enum(['zip'], {
      description:
        'Return a ZIP with the CSV, an image of each code (SVG unless `format` says otherwise), and `manifest.csv`.',
    }),
  ),
  ...imageParameters(' of `qr=zip`'),
}

const query = Type.Object(resultQuery)
type ResultQuery = Static<typeof query>

/** The archive that a response is to be. */
export interface WantedArchive {
  image: FileImage
  names: FileNames
}

/** What a response is to be. */
export interface WantedResult {
  format: 'json' | 'csv' | undefined
  /** Present when it is to be an archive. */
  archive?: WantedArchive
}

/**
 * Reads the query, before anything is created.
 * @throws {Problem} 400 for what does not fit together, or a size past the bound of the format
 */
export function readResultQuery({ format, qr, size, dpi, width_mm: millimetres, names }: ResultQuery): WantedResult {
  const table = tables.find((each) => each === format)
  const imageFormat = images.find((each) => each === format) ?? 'svg'
  if (qr === undefined) {
    requireAbsent(
      { size, dpi, width_mm: millimetres, names },
      'is of the images of qr=zip, and must be left out without it',
    )
    if (format !== table) throw invalidRequest([{ pointer: '/format', detail: 'must be json or csv without qr=zip' }])
    return { format: table }
  }
  const archive = readArchiveQuery({ format: imageFormat, size, dpi, width_mm: millimetres, names })
  return { format: table, archive }
}

const archiveObject = Type.Object(archiveQuery)
export type ArchiveQuery = { [K in keyof Static<typeof archiveObject>]: Static<typeof archiveObject>[K] | undefined }

/** @throws {Problem} 400 for what does not belong to the format, or a size past its bound */
export function readArchiveQuery({
  format = 'svg',
  size,
  dpi,
  width_mm: millimetres,
  names = 'code',
}: ArchiveQuery): WantedArchive {
  if (format === 'pdf') requireAbsent({ size }, 'must be left out for PDF, whose width is width_mm')
  else requireAbsent({ width_mm: millimetres }, 'must be left out for what is no PDF')
  if (format !== 'png') requireAbsent({ dpi }, 'must be left out for what is no PNG')
  if (format === 'png' && size !== undefined && size > MAX_ARCHIVE_PNG)
    throw invalidRequest([{ pointer: '/size', detail: `must be at most ${MAX_ARCHIVE_PNG} for PNG in an archive` }])
  return { image: { format, size, dpi, millimetres }, names }
}

/** @throws {Problem} 400 naming each that is there */
function requireAbsent(parameters: Record<string, unknown>, detail: string): void {
  const present = Object.keys(parameters).filter((name) => parameters[name] !== undefined)
  if (present.length > 0) throw invalidRequest(present.map((name) => ({ pointer: `/${name}`, detail })))
}
