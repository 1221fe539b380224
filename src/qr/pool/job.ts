import type { DesignedImage, DesignJob } from '../design/job.ts'
import type { PictureJob } from '../picture/picture.ts'
import type { PlainImage, PlainJob } from '../plain.ts'

/** What a thread draws. */
export type RenderJob = DesignJob | PlainJob | PictureJob

/** A picture has no further fields. */
export interface PictureImage {
  body: Uint8Array
}

export type DrawnImage = DesignedImage | PlainImage | PictureImage

/** Drawing more pixels of width takes some 400 MB, which a thread releases when it ends: one such job at a time. */
const LARGE = 2048

export function isLarge(job: RenderJob): boolean {
  return 'design' in job && job.format === 'png' && job.size > LARGE
}
