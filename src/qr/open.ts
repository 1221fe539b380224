import type { Database } from '../db/database.ts'
import type { Metric } from '../http/metric.ts'
import { codeText, type CodeForm } from './code-image.ts'
import type { DrawCodeFile } from '../links/bulk/code-file.ts'
import type { Designs } from '../links/design.ts'
import { createCodeFiles, type CodeFileNeeds } from './code-files.ts'
import type { Design } from './design/schema.ts'
import { createImages, type Images } from './images.ts'
import { readAppearance } from './options.ts'
import { createRenderPool, type PoolOptions } from './pool/pool.ts'
import { readFileSync } from 'node:fs'
import { readFont, type Font } from './design/font.ts'
import { fontFile } from './font-file.ts'
import { drawable } from './design/fit.ts'
import { createDesigns } from './saved-designs.ts'
import { createSheets, type Sheets } from './sheets.ts'

/** Images that may wait before plain ones are drawn on threads as well. */
const FEW = 4

/** Draws QR images, and stores the designs of links. */
export interface Qr {
  images: Images
  designs: Designs<Design>
  sheets: Sheets
  /** The text that the QR code of a short link encodes. */
  codeText: (code: string, origin: string, form?: CodeForm) => string
  /** The default SVG of a short link. */
  codeSvg: (code: string, origin: string) => string
  /** @param linkOf the link of a code */
  codeFiles: (linkOf: CodeFileNeeds['linkOf']) => DrawCodeFile
  /** A text without what the font cannot write; empty when too little is left. */
  printable: (text: string) => string
  /** Draws images soon, so that the first client does not wait for the compiler. */
  warmUp: () => void
  metrics: Metric[]
  /** Stops drawing, and ends the threads. */
  close: () => Promise<void>
}

/** What QR images need from the rest of the program. */
export interface QrNeeds {
  db: Database
  /** Whether QR codes of links contain the marker that distinguishes a scan from a click. */
  marker: boolean
  /** Requests for images that wait. */
  waiting: () => number
  /** Replaces the defaults of the threads. */
  drawing?: Partial<PoolOptions> | undefined
}

export function openQr({ db, marker, waiting, drawing }: QrNeeds): Qr {
  const pool = createRenderPool(drawing)
  const images = createImages(pool, () => waiting() > FEW)
  const textOf: Qr['codeText'] = (code, origin, form) => codeText(code, origin, { marker, ...form })
  const designs = createDesigns({ db, images, check: pool.check, textOf })
  return {
    images,
    designs,
    codeFiles: (linkOf) => createCodeFiles({ pool, codeText: textOf, linkOf, designOf: designs.of }),
    sheets: createSheets({ db, pool }),
    codeText: textOf,
    codeSvg: (code, origin) =>
      images.plain(textOf(code, origin), readAppearance({}, 'svg'), { level: 'M' }).body.toString(),
    printable: createPrintable(),
    warmUp: images.warmUp,
    metrics: [
      { name: 'quirl_drawings_queued', help: 'Images that wait for a thread', type: 'gauge', read: pool.queued },
    ],
    close: images.close,
  }
}

/** Returns a function that leaves out of a text what the font cannot write. The font is read when it is first needed. */
function createPrintable(): (text: string) => string {
  let font: Font | undefined
  return (text) => drawable((font ??= readFont(readFileSync(fontFile, 'utf8'))), text)
}
