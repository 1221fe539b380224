import type { Database } from '../db/database.ts'
import { createDesigns, type Designs } from './designs.ts'
import { createImages, type Images } from './images.ts'
import { createRenderPool } from './pool/pool.ts'

/** So many images wait without being drawn on threads. */
const FEW = 4

/** What draws images, and what keeps their designs. */
export interface Qr {
  images: Images
  designs: Designs
}

/**
 * @param waiting how many images wait
 * @param drawMs how long an image may wait, and then take, when it is not the usual time
 */
export function openQr(db: Database, waiting: () => number, drawMs?: number): Qr {
  const images = createImages(
    createRenderPool(drawMs === undefined ? {} : { patience: drawMs, timeout: drawMs, effort: drawMs }),
    () => waiting() > FEW,
  )
  return { images, designs: createDesigns(db, images) }
}
