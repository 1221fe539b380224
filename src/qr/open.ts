import type { Database } from '../db/database.ts'
import { createDesigns, type Designs } from './designs.ts'
import { createImages, type Images } from './images.ts'
import { createRenderPool } from './pool/pool.ts'

/** What draws images, and what keeps their designs. */
export interface Qr {
  images: Images
  designs: Designs
}

export function openQr(db: Database): Qr {
  const images = createImages(createRenderPool())
  return { images, designs: createDesigns(db, images) }
}
