import type { Database } from '../db/database.ts'
import { codeSvg, codeText } from './code-image.ts'
import { createDesigns, type Designs } from './designs.ts'
import { createImages, type Images } from './images.ts'
import { createRenderPool } from './pool/pool.ts'

/** So many images wait without being drawn on threads. */
const FEW = 4

/** Draws QR images, and keeps the designs of those of links. */
export interface Qr {
  images: Images
  designs: Designs
  /** What the image of a short link says. */
  codeText: (code: string, origin: string, compact?: boolean) => string
  /** The image of a short link as its own address answers it when nothing else is asked for. */
  codeSvg: (code: string, origin: string) => string
  /** Draws nothing more, and ends the threads. */
  close: () => Promise<void>
}

/** What QR images need of the rest of the program. */
export interface QrNeeds {
  db: Database
  /** Whether images of links carry the marker that tells a scan from a click. */
  marker: boolean
  /** How many images wait for their turn. */
  waiting: () => number
  /** How long an image may wait, and then take to draw, in milliseconds each, when it is not the usual time. */
  drawMs?: number | undefined
}

export function openQr({ db, marker, waiting, drawMs }: QrNeeds): Qr {
  const bounds = drawMs === undefined ? {} : { patience: drawMs, timeout: drawMs, effort: drawMs }
  const images = createImages(createRenderPool(bounds), () => waiting() > FEW)
  const textOf = (code: string, origin: string, compact = false) => codeText(code, origin, { marker, compact })
  return {
    images,
    designs: createDesigns(db, images, textOf),
    codeText: textOf,
    codeSvg: (code, origin) => codeSvg(images, textOf(code, origin)),
    close: images.close,
  }
}
